"""Judgments and predictions as a caller has them, read as deep as a score asks.

The queries are joined at once: which of them count is known before any score is called. An item is
read when a score needs it. Only what can be among the first ranks is looked at, and numbers say
what that is: the places in lists, the ranks, or the scores with the ties at the cutoff. All items
are joined if somebody asks for columns.

Most ids are text or whole numbers. The first items of a query are then found among the judgments
of their own query, without a table of all ids. An id becomes a number of 64 bits, and an item is
found if its number and its query are those of a judgment. As different texts may have one number,
the few pairs that are found are compared. What is there twice, or is neither text nor whole
numbers, is left to the join of all items.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, compress, islice
from operator import itemgetter
from types import NoneType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    LIBRARIES,
    PackedText,
    library_of,
    mixed,
    pack_text,
    packed_iterable,
    runs_of_column,
    stable_order,
)
from ranking_scores._queries import (
    CellValues,
    FirstItems,
    are_first,
    groups_of_lengths,
    have_ties,
)
from ranking_scores._tables._aspects_given import GivenAspects
from ranking_scores._tables._columns import Column, Positions, has_null
from ranking_scores._tables._join import (
    Joined,
    JoinedQueries,
    JoinSide,
    are_at_first_ranks,
    are_repeats,
    check_ranks,
    choose_queries,
    each_once,
    join_items,
    join_queries,
    join_sides,
    limits_of_gaps,
    part_columns,
    queries_in_table,
    to_arrays,
    with_scores,
)
from ranking_scores._tables._known_names import warn_if_distance
from ranking_scores._tables._lists_of_ids import (
    JoinInput,
    ListsByQuery,
    scores_of_lists,
    sides_of,
    warn_if_rising,
)
from ranking_scores._tables._ranking_data import (
    JudgedItems,
    RankingData,
    ReadItems,
    are_chosen,
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

    def __init__(
        self,
        joined: JoinedQueries,
        columns: Sequence[dict[str, Column]],
        queries: str,
        duplicates: str,
    ) -> None:
        self.joined, self.queries, self.duplicates = joined, queries, duplicates
        self.columns = columns
        """The columns of judgments and of predictions, at least those of queries."""
        self.is_kept = are_chosen(joined, queries)
        self._may_have_none_found = True

    @abstractmethod
    def join(self) -> Joined:
        """Return all entries."""

    @abstractmethod
    def join_first(self, depth: int) -> Joined | None:
        """Return the entries that count if only the ranks up to `depth` do; None: most do."""

    def read(self, depth: int) -> ReadItems | None:
        """Return the items that count if only the ranks up to `depth` do.

        None: most items do, so arrays of all of them, which are kept, are as good.
        """
        try:
            joined = self.join_first(depth)
        except InvalidParameterError:
            return None  # Only all ids tell types apart.
        if joined is None:
            return None
        if self.duplicates == "best" and are_repeats(joined.predicted).any():
            return None  # others move up to the places of repeated items
        chosen = self._choose(joined)
        scored, n_fillers = with_scores(chosen, self._most_free())
        judged, predicted, _ = each_once(scored, n_fillers, self.duplicates)
        found = CellValues(predicted.query, predicted.item, predicted.values)
        labels = CellValues(judged.query, judged.item, judged.values).at(found.cells)
        n_found, n_judged = (
            np.bincount(cells.query, minlength=chosen.queries.size)
            for cells in (predicted, judged)
        )
        first = FirstItems(n_found, found.values, labels, n_judged, judged.values)
        items = JudgedItems(judged.query, judged.item, chosen.items, judged.values)
        return ReadItems(depth, first, items)

    def in_arrays(self) -> RankingData:
        """Return all judgments and predictions as arrays."""
        chosen = self._choose(self.join())
        if not self.may_be_packed:
            chosen = chosen._replace(items=np.asarray(chosen.items))
        scored, n_fillers = with_scores(chosen, self._most_free())
        return to_arrays(scored, n_fillers, self.duplicates)

    def _most_free(self) -> tuple[int, int]:
        """Return how many ranks may be free in one query, and in all."""
        return limits_of_gaps(int(np.count_nonzero(self.is_kept[self.joined.predicted_query])))

    def check_ranks(self, columns: dict[str, Column], values: NDArray[Any]) -> None:
        """Raise if predictions have ranks, and too many of these are free."""
        if "rank" in columns:
            query = self.joined.predicted_query
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
    seen.check(source.queries, *source.columns)
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
    number[joined.judged_query] = aspects.query
    return data.over_aspects(aspects.aspects.of_queries(number[source.is_kept]))


class TwoSources(JoinedLater):
    """Judgments and predictions, each as lists of ids or as the columns of a table."""

    def __init__(self, given: JoinInput, queries: str, duplicates: str) -> None:
        sides = given.queries()
        columns = sides[0].columns, sides[1].columns
        super().__init__(join_queries(sides), columns, queries, duplicates)
        judged, predicted = given.judged, given.predicted
        judged_form = predicted_form = "lists"
        if isinstance(judged, JoinSide):
            judged, judged_form = judged.with_numbers(), "a table"
        if isinstance(predicted, JoinSide):
            predicted, predicted_form = predicted.with_numbers(), "a table"
            warn_if_distance(predicted.columns.get("score"))
            self._values = predicted.values()
            self.check_ranks(predicted.columns, self._values)
        else:
            warn_if_rising(scores_of_lists(predicted, given), predicted.function)
            if isinstance(judged, ListsByQuery):
                self.has_query_ids = not (judged.queries is None and predicted.queries is None)
        self.came_from = f"{judged_form} and {predicted_form}"
        if judged_form == predicted_form:
            self.came_from = "lists" if judged_form == "lists" else "two tables"
        self._given = given._replace(judged=judged, predicted=predicted)

    def join(self) -> Joined:
        """Return all entries."""
        return self._join(self._given, self.joined, None)

    def join_first(self, depth: int) -> Joined | None:
        """Return the entries that count if only the ranks up to `depth` do; None: most do."""
        given, joined = self._given, self.joined
        if isinstance(given.predicted, ListsByQuery):
            length = given.predicted.lengths()
            if 2 * np.minimum(length, depth).sum() > length.sum():
                return None
            return self._join(given.only(self.is_kept[joined.predicted_query]), joined, depth)
        rows = self._first_rows(given.predicted, depth)
        if rows is None:
            return None
        given = given._replace(predicted=given.predicted.at(rows))
        joined = joined._replace(predicted_query=joined.predicted_query[rows])
        return self._join(given, joined, depth)

    def _join(self, given: JoinInput, joined: JoinedQueries, depth: int | None) -> Joined:
        """Return the entries, of lists of predictions only what can be at some ranks."""
        judged, predicted = given[:2]
        if (
            isinstance(judged, JoinSide)
            and isinstance(predicted, JoinSide)
            and given.split is None
        ):
            return join_items(joined, [judged, predicted], self.duplicates)
        with sides_of(given, depth) as sides:
            return join_sides(sides, self.duplicates)

    def read(self, depth: int) -> ReadItems | None:
        """Return the items that count if only the ranks up to `depth` do."""
        given, joined = self._given, self.joined
        judged, predicted, scores = given[:3]
        are_as_given = given.grades_in.are_as_given and given.scores_in.are_as_given
        read = None
        if isinstance(judged, ListsByQuery) and isinstance(predicted, ListsByQuery):
            if given.split is None and are_as_given:
                read = first_of_lists(
                    self._rows(judged, joined.judged_query),
                    self._rows(predicted, joined.predicted_query),
                    self._rows(scores, joined.predicted_query),
                    depth,
                )
        elif isinstance(judged, JoinSide) and isinstance(predicted, JoinSide):
            read = self._read_columns(judged, predicted, depth)
        if read is None:
            return super().read(depth)
        self._may_have_none_found = False
        return read

    def _first_rows(self, predicted: JoinSide, depth: int) -> Positions | None:
        """Return the rows of queries that count, and that can be at the ranks up to `depth`.

        None: they are most of the rows.
        """
        if depth >= self._values.size:
            return None
        query, are_ranks = self.joined.predicted_query, "rank" in predicted.columns
        are_kept = self.is_kept[query]
        are_kept &= are_at_first_ranks(query, self._values, depth, are_ranks=are_ranks)
        return _unless_most(np.flatnonzero(are_kept), self._values.size)

    def _read_columns(self, judged: JoinSide, predicted: JoinSide, depth: int) -> ReadItems | None:
        """Return the same of tables with scores, if ids are text or whole numbers."""
        if "rank" in predicted.columns:
            return None
        rows = self._first_rows(predicted, depth)
        if rows is None:
            return None
        found = self._items(predicted, self.joined.predicted_query, self._values, rows)
        rows = np.flatnonzero(self.is_kept[self.joined.judged_query])
        judged_items = self._items(judged, self.joined.judged_query, judged.values(), rows)
        return judged_items and found and first_items_of(judged_items, found, depth)

    def _items(
        self, side: JoinSide, query: Positions, values: NDArray[Any], rows: Positions
    ) -> ItemsOfQueries | None:
        """Return some rows of a table as items of the queries that count."""
        number = np.cumsum(self.is_kept) - 1
        item, query_of_row = side.columns["item"].at(rows), number[query[rows]]
        return items_of_column(item, query_of_row, values[rows], int(self.is_kept.sum()))

    def _rows(self, lists: ListsByQuery | None, query: Positions) -> Any:
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
        super().__init__(joined, (columns, columns), queries, duplicates)
        warn_if_distance(columns.get("score"))
        self._columns, self._values = columns, scores.values
        self._predicted = cast(Positions, scores.row)
        self.check_ranks(columns, self._values)

    def join(self) -> Joined:
        """Return all entries."""
        return part_columns(self._columns, self.duplicates)

    def join_first(self, depth: int) -> Joined | None:
        """Return the entries that are judged, or count up to `depth`; None: most do."""
        query, are_ranks = self.joined.predicted_query, "rank" in self._columns
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


# --- the first items, found by their ids --------------------------------------------------------


Keys = NDArray[np.uint64]
ItemIds = PackedText | NDArray[np.int64]
"""Ids of items that are text or whole numbers."""

_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
"""An odd number, whose multiples tell queries apart."""
_MOST_BITS = 24
"""The size of the table in which items are looked up first is at most two to this power."""


class ItemsOfQueries(NamedTuple):
    """The judged or the predicted items of all queries, one query after the other."""

    ids: ItemIds
    length: Positions
    """The number of items of each query."""
    numbers: NDArray[Any]
    """The label or the score of each item."""
    may_tie: bool = True
    """Whether scores of a query may be equal."""

    @property
    def query(self) -> Positions:
        """The query of each item."""
        return np.repeat(np.arange(self.length.size), self.length)


def ids_of_objects(objects: Iterable[Any], n_objects: int) -> ItemIds | None:
    """Return as many ids that are all text, or all whole numbers; None: they are not."""
    objects = iter(objects)
    first = next(objects, None)
    objects = chain((first,), objects)
    try:
        if type(first) is str:
            return packed_iterable(objects, int(n_objects))
        numbers = list(objects)
        if set(map(type, numbers)) == {int}:
            return np.array(numbers, np.int64)
    except (TypeError, OverflowError):  # Not all are text, or numbers are wide.
        pass
    return None


def first_items_of(judged: ItemsOfQueries, found: ItemsOfQueries, depth: int) -> ReadItems | None:
    """Return judgments and predictions, of which these can be at the ranks up to `depth`.

    None: an item is there twice, or no judged item is found.
    """
    if type(judged.ids) is not type(found.ids):
        return None
    judged_query, found_query = judged.query, found.query
    judged_place, found_place = find_equal(
        keys_of(judged.ids, judged_query), keys_of(found.ids, found_query)
    )
    if not found_place.size or (judged_query[judged_place] != found_query[found_place]).any():
        return None
    ids, others = judged.ids[judged_place], cast(Any, found.ids[found_place])
    if not (ids.equals(others) if isinstance(ids, PackedText) else np.array_equal(ids, others)):
        return None
    labels = np.zeros(found.numbers.size, judged.numbers.dtype)
    labels[found_place] = judged.numbers[judged_place]
    order = _order_of_ties(found) if found.may_tie else slice(None)
    return as_read(depth, judged, found.length, found.numbers[order], labels[order])


def as_read(
    depth: int,
    judged: ItemsOfQueries,
    length: Positions,
    scores: NDArray[Any],
    labels: NDArray[Any],
) -> ReadItems:
    """Return the judged items, and the scores and labels of those that were found."""
    first = FirstItems(length, scores, labels, judged.length, judged.numbers)
    item = np.arange(judged.numbers.size)
    ids = cast(Any, judged.ids)  # packed text reads as an array
    return ReadItems(depth, first, JudgedItems(judged.query, item, ids, judged.numbers))


def keys_of(values: PackedText | NDArray[Any], query: Positions) -> Keys:
    """Return a number for each text or number of 64 bits of a query."""
    numbers = values.hashes() if isinstance(values, PackedText) else mixed(values.view(np.uint64))
    return (numbers + query.astype(np.uint64)) * _FACTOR


def find_equal(judged: Keys, found: Keys) -> tuple[Positions, Positions]:
    """Return the judged and the found items that share a key; none if keys are repeated."""
    order = np.argsort(judged)
    judged, in_order = judged[order], np.sort(found)
    if (judged[1:] == judged[:-1]).any() or (in_order[1:] == in_order[:-1]).any():
        return order[:0], order[:0]
    # Most items were not judged, which a few bits of their keys tell.
    bits = min(judged.size.bit_length() + 5, _MOST_BITS)
    shift = np.uint64(64 - bits)
    is_there = np.zeros(2**bits, dtype=bool)
    is_there[judged >> shift] = True
    may_be = np.flatnonzero(is_there[found >> shift])
    key = found[may_be]
    place = np.minimum(np.searchsorted(judged, key), judged.size - 1)
    are_equal = judged[place] == key
    return order[place[are_equal]], may_be[are_equal]


def _order_of_ties(found: ItemsOfQueries) -> slice | Positions:
    """Return the order in which items are in that of their ids, in queries whose scores tie."""
    groups = groups_of_lengths(found.length)
    tied = np.flatnonzero(have_ties(found.numbers, groups))
    if not tied.size:
        return slice(None)
    rows = groups.rows_of(tied)
    ids = found.ids[rows]
    code = ids.sorted_unique()[1] if isinstance(ids, PackedText) else ids
    order = np.arange(found.numbers.size)
    order[rows] = rows[np.lexsort((code, found.query[rows]))]
    return order


# --- first items of lists -----------------------------------------------------------------------


_OBJECTS_AT_ONCE = 2**14
"""The number of objects that are looked at twice at once."""
_FIRST, _SECOND = itemgetter(0), itemgetter(1)


def first_of_lists(relevant: Any, retrieved: Any, scores: Any, depth: int) -> ReadItems | None:
    """Return the items that count if only the ranks up to `depth` do.

    All have something for each query, the same queries in the same order. None: this is not a list
    or a dict of text or of whole numbers, an id is there twice, or no relevant id is found.
    """
    if not isinstance(relevant, list) or not isinstance(retrieved, list):
        return None
    types, judged = set(map(type, relevant)) - {NoneType}, None
    if types == {dict}:
        judged = _of_dicts(relevant, None)
    elif types <= {list, tuple, set, frozenset}:
        length = _lengths(relevant)
        ids = ids_of_objects(chain.from_iterable(filter(None, relevant)), length.sum())
        if ids is not None:
            judged = ItemsOfQueries(ids, length, np.ones(length.sum(), np.int8))
    if judged is None:
        return None
    if scores is None and set(map(type, retrieved)) <= {dict, NoneType}:
        read = _first_of_dicts(judged, relevant, retrieved, depth)
        if read is not None:
            return read
    found = _found_of(retrieved, scores, depth)
    return None if found is None else first_items_of(judged, found, depth)


def _first_of_dicts(
    judged: ItemsOfQueries, relevant: list[Any], retrieved: list[Any], depth: int
) -> ReadItems | None:
    """Return the same of dicts of scores, in whose first items no scores of a query are equal.

    The judged items are looked up in the dicts, and their scores tell their places. So no other
    id is looked at. None: scores tie, or it is as above.
    """
    full = list(filter(None, retrieved))
    scores = as_numbers(chain.from_iterable(map(dict.values, full)))
    if scores is None or not _may_have(chain.from_iterable(full), judged):
        return None
    length = _lengths(retrieved)
    if length.max() > depth:
        are_kept = are_first(scores, groups_of_lengths(length), depth)
        scores, length = scores[are_kept], _count(are_kept, length)
    lookups = ((row or {}).get for row in retrieved)
    sought = map(map, lookups, (row or () for row in relevant))
    found = list(chain.from_iterable(sought))
    row = np.flatnonzero(np.fromiter((score is not None for score in found), bool, len(found)))
    score_of_row = np.array([found[number] for number in row.tolist()], scores.dtype)
    query, query_of_row = np.repeat(np.arange(length.size), length), judged.query[row]
    lowest = np.full(length.size, scores.max(), scores.dtype)
    np.minimum.at(lowest, query, scores)
    is_first = score_of_row >= lowest[query_of_row]
    row, score_of_row, query_of_row = row[is_first], score_of_row[is_first], query_of_row[is_first]
    keys = keys_of(score_of_row + 0.0, query_of_row), keys_of(scores + 0.0, query)  # -0 becomes 0
    judged_place, place = find_equal(*keys)  # No key is repeated, so both are one item.
    if not place.size:
        return None
    labels = np.zeros(scores.size, judged.numbers.dtype)
    labels[place] = judged.numbers[row[judged_place]]
    return as_read(depth, judged, length, scores, labels)


def _may_have(ids: Iterable[Any], items: ItemsOfQueries) -> bool:
    """Return whether ids are of the type of those of items, so that a dict tells them apart."""
    if isinstance(items.ids, PackedText):
        return type(next(iter(ids), None)) is str  # no text is equal to anything else
    return set(map(type, ids)) == {int}  # Of these, 1 is equal to True and to 1.0.


def _found_of(rows: list[Any], scores: Any, depth: int) -> ItemsOfQueries | None:
    """Return the retrieved ids that can be at the ranks up to `depth`; None: as above."""
    types = set(map(type, rows)) - {NoneType}
    if types == {dict} and scores is None:
        return _of_dicts(rows, depth)
    if not types <= {list, tuple}:
        return None
    length, full = _lengths(rows), list(filter(None, rows))
    if scores is not None:
        is_list = isinstance(scores, list) and set(map(type, scores)) <= {list, tuple, NoneType}
        if not is_list or not np.array_equal(_lengths(scores), length):
            return None
        numbers = chain.from_iterable(filter(None, scores))
        return _cut(chain.from_iterable(full), length, numbers, depth)
    if full and isinstance(full[0][0], (tuple, list)):
        pairs = list(chain.from_iterable(full))
        if not set(map(type, pairs)) <= {tuple, list} or set(map(len, pairs)) != {2}:
            return None
        return _cut(map(_FIRST, pairs), length, map(_SECOND, pairs), depth)
    first: Iterable[Any] = full
    if length.max() > depth:
        first, length = map(itemgetter(slice(depth)), full), np.minimum(length, depth)
    ids = ids_of_objects(chain.from_iterable(first), length.sum())
    # The first of a list has the score -1, as if its rank was 1.
    place = np.repeat(np.cumsum(length) - length, length) - np.arange(1, length.sum() + 1)
    return None if ids is None else ItemsOfQueries(ids, length, place, may_tie=False)


def _lengths(rows: list[Any]) -> Positions:
    """Return the number of entries of each query."""
    rows = rows if all(rows) else [row or () for row in rows]
    return np.fromiter(map(len, rows), np.intp, len(rows))


def _of_dicts(rows: list[Any], depth: int | None) -> ItemsOfQueries | None:
    """Return the ids of dicts with their numbers."""
    full = list(filter(None, rows))
    numbers = chain.from_iterable(map(dict.values, full))
    return _cut(chain.from_iterable(full), _lengths(rows), numbers, depth)


def _cut(
    ids: Iterable[Any], length: Positions, numbers: Iterable[Any], depth: int | None
) -> ItemsOfQueries | None:
    """Return what can be at the ranks up to `depth`; None: the numbers are not of one type."""
    values = as_numbers(numbers)
    if values is None:
        return None
    if depth is not None and length.max() > depth:
        are_kept = are_first(values, groups_of_lengths(length), depth)
        length = _count(are_kept, length)
        ids, values = compress(ids, are_kept), values[are_kept]
    read = ids_of_objects(ids, length.sum())
    return None if read is None else ItemsOfQueries(read, length, values)


def _count(are_kept: NDArray[np.bool_], length: Positions) -> Positions:
    """Return the number of entries of each query that are kept."""
    query = np.repeat(np.arange(length.size), length)
    return np.bincount(query[are_kept], minlength=length.size)


def as_numbers(numbers: Iterable[Any]) -> NDArray[Any] | None:
    """Return finite numbers as an array; None: they are not all ints or all floats."""
    numbers, parts, types = iter(numbers), [], set()
    while part := list(islice(numbers, _OBJECTS_AT_ONCE)):  # A part stays in the cache.
        types |= set(map(type, part))
        if types not in ({int}, {float}):
            return None
        parts.append(np.array(part))
    values = np.concatenate(parts or [np.empty(0)])
    return values if values.dtype.kind in "if" and np.isfinite(values).all() else None


# --- first items of tables ----------------------------------------------------------------------


def items_of_column(
    column: Column, query: Positions, numbers: NDArray[Any], n_queries: int
) -> ItemsOfQueries | None:
    """Return the rows of a table as items of its queries.

    None: their ids are neither text nor whole numbers.
    """
    ids = _as_stored(column.values)
    if ids is None:
        return None
    length = np.bincount(query, minlength=n_queries)
    if (query[1:] < query[:-1]).any():
        row = stable_order(query)
        ids, numbers = ids[row], numbers[row]
    return ItemsOfQueries(ids, length, numbers)


def _as_stored(values: Any) -> ItemIds | None:
    """Return ids that are text or whole numbers without nulls; None: they are something else."""
    if isinstance(values, PackedText):
        return values
    packed = pack_text(values)
    if packed is not None:
        return packed
    if isinstance(values, np.ndarray) and values.dtype == object:
        values = values.tolist()
    if isinstance(values, list):
        return ids_of_objects(values, len(values))
    if library_of(values) in LIBRARIES:
        if has_null(values):
            return None
        runs = runs_of_column(values)  # Only categories have runs.
        if runs is not None:
            unique = ids_of_objects(runs.ids.tolist(), runs.ids.size)
            return None if unique is None else unique[runs.which_of_row]
        values = np.asarray(values)
    is_wide = getattr(values, "dtype", None) == np.uint64
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu" or is_wide:
        return None
    return values.astype(np.int64, copy=False)
