"""Judgments and predictions as a caller has them, read as deep as a score asks.

The queries are joined at once: which of them count is known before any score is called. An item is
read when a score needs it. Only what can be among the first ranks is looked at, and numbers say
what that is: the places in lists, the ranks, or the scores with the ties at the cutoff. All items
are joined if somebody asks for columns.

A score that needs the first ranks reads the items in one of three ways, the first that fits:

1. Plain ids are text or whole numbers, and so are most. The first items of a query are found among
   the judgments of their own query, without a table of all ids. An id becomes a number of 64 bits,
   and an item is found if its number and its query are those of a judgment. As different texts may
   have one number, the few pairs that are found are compared.
2. Other ids, and items that are there twice, are joined with all judgments: a `NotPlainError` says
   that the first way is none.
3. If most items count, or an id cannot be read, all items are joined and kept as arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, compress, islice, repeat
from operator import attrgetter, itemgetter
from types import NoneType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import show_id, warn_caller
from ranking_scores._base._ids import LIBRARIES, library_of, pack_text, python_ids, runs_of_column
from ranking_scores._base._packed_text import PackedText, mixed, packed_rows
from ranking_scores._base._sorting import stable_order
from ranking_scores._base._validation import check_identifiers, unique_identifiers
from ranking_scores._queries._blocks import groups_of_lengths
from ranking_scores._queries._by_ids import are_first, have_ties
from ranking_scores._queries._data import FirstItems
from ranking_scores._queries._rows import CellValues
from ranking_scores._tables._aspects_given import GivenAspects
from ranking_scores._tables._columns import Column, Positions, has_null, places_in_lists
from ranking_scores._tables._join import (
    MOST_OF_LABELS,
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
    notes_of_order,
    part_columns,
    queries_in_table,
    side_of,
    to_arrays,
    with_scores,
)
from ranking_scores._tables._lists_of_ids import (
    JoinInput,
    ListsByQuery,
    check_not_swapped,
    refuse_if_swapped,
    sides_of,
    warn_if_lists_swapped,
)
from ranking_scores._tables._ranking_data import (
    JudgedItems,
    RankingData,
    ReadItems,
    are_chosen,
    count_own,
    likely_same_ids,
    see_queries,
    warn_of_none_found,
)
from ranking_scores.exceptions import InvalidParameterError

_FEW_ROWS = 2**10
"""Finding the items in so few rows takes less time than loading SciPy for arrays of them."""


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
        self.notes: list[str] = []
        """What is unusual in the order of scores or ranks."""
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
        n_own = count_own(predicted.query, predicted.item, chosen.items, chosen.queries)
        return ReadItems(depth, first, items, n_own)

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

    def check_order(self, columns: dict[str, Column], values: NDArray[Any]) -> None:
        """Note an unusual order of scores or ranks. Raise if too many ranks are free."""
        query, are_ranks = self.joined.predicted_query, "rank" in columns
        column = columns["rank" if are_ranks else "score"]
        n_queries = int(np.count_nonzero(self.joined.is_predicted))
        notes = notes_of_order(query, n_queries, values, column, are_ranks=are_ranks)
        self.notes = [f"{column.table}: {note}" for note in notes]
        if are_ranks:
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
                every, has_found = choose_queries(self.join(), self.queries)
                if not has_found:
                    _warn_of_none_found(every)
        return chosen


_IDS_LOOKED_AT = 10_000
"""So many ids of each side tell how they differ."""


def _warn_of_none_found(joined: Joined) -> None:
    """Warn that no judged item was predicted, and show items of the first query that has both."""
    query = joined.judged.columns["query"]
    is_both = np.isin(joined.predicted.query, joined.judged.query)
    first = joined.predicted.query[is_both][:1]
    sides = []
    for cells in (joined.judged, joined.predicted):
        item = np.concatenate([cells.item[np.isin(cells.query, first)], cells.item])
        ids = np.asarray(joined.items[item[:_IDS_LOOKED_AT]])
        sides.append([] if query.table == "table" else python_ids(ids))
    can_split = query.function not in ("from_tables", "from_pytrec_eval")
    warn_of_none_found(query.table, *sides, can_split=can_split)


def data_by_judge(
    given: JoinInput, judge: Column, queries: str, function: str
) -> dict[Any, RankingData]:
    """Return the data by the labels of each judge alone, on the queries that it has judged."""
    assert isinstance(given.judged, JoinSide)
    names = check_identifiers(judge.values, "judge", function)
    judges, of_row = unique_identifiers(names, "judge", function)
    found, queries = {}, queries if queries == "both" else "judged"
    for number, name in enumerate(python_ids(judges)):
        rows = np.flatnonzero(of_row == number)
        columns = {key: column.at(rows) for key, column in given.judged.columns.items()}
        own = given._replace(judged=side_of(columns))
        source = TwoSources(own, queries, "error")
        if see_queries(source.joined).n_both:
            found[name] = data_of(source)
            continue
        none = f"No query of the judge {show_id(name)} was predicted"
        warn_caller(f"{none}, so this judge is left out.", UserWarning)
    return found


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
    if 0 < seen.n_both < min(seen.judged.count, seen.predicted.count) / 2:
        only = joined.queries[~joined.is_predicted], joined.queries[~joined.is_judged]
        alike = likely_same_ids(only[0].tolist(), only[1].tolist())
        counts = (
            f"{seen.n_both} of {seen.judged.count} judged and {seen.predicted.count} predicted"
        )
        warn_caller(
            f"Judgments and predictions share only {counts} queries. Only judged are "
            f"{seen.only_judged}, and only predicted are {seen.not_judged}.{alike}",
            UserWarning,
        )
    data = RankingData.from_source(
        source,
        joined.queries[source.is_kept],
        seen,
        joined.is_predicted[source.is_kept],
        notes=(*notes, *source.notes),
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
        judged, predicted = given.judged, given.predicted
        sides = [judged.queries_alone(), predicted.queries_alone()]
        is_numbered = isinstance(judged, ListsByQuery) and judged.queries is None
        if is_numbered and isinstance(predicted, ListsByQuery) and predicted.queries is None:
            self.has_query_ids = False
            n_judged, n_predicted = sides[0].query.code.size, len(predicted.rows)
            number = np.arange(max(n_judged, n_predicted))
            are_there = number < n_judged, number < n_predicted
            joined = JoinedQueries(number, *are_there, number[:n_judged], number[:n_predicted])
        else:
            joined = join_queries(sides)
        columns = sides[0].columns, sides[1].columns
        super().__init__(joined, columns, queries, duplicates)
        is_table = isinstance(judged, JoinSide), isinstance(predicted, JoinSide)
        self.came_from = _FORMS[is_table]
        self._given = given.kept()
        predicted = self._given.predicted
        if isinstance(predicted, JoinSide):
            self._values = predicted.values()
            self.check_order(predicted.columns, self._values)
        if not given.are_ids_alone:
            refuse_if_swapped(self._given)
        warn_if_lists_swapped(given)

    def join(self) -> Joined:
        """Return all entries."""
        self._given.check_samples()
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
        if isinstance(judged, JoinSide) and isinstance(predicted, JoinSide) and not given.split:
            return join_items(joined, [judged, predicted], self.duplicates)
        with sides_of(given, depth) as sides:
            return join_sides(sides, self.duplicates)

    def read(self, depth: int) -> ReadItems | None:
        """Return the items that count if only the ranks up to `depth` do."""
        self._given.check_samples()
        try:
            read = self._read_plain(depth)
        except NotPlainError:
            return super().read(depth)
        self._may_have_none_found = False
        return read

    def _read_plain(self, depth: int) -> ReadItems:
        """Return the same of plain ids, of which the judged items are found by their keys."""
        given, joined = self._given, self.joined
        judged, predicted = given.judged, given.predicted
        if given.is_read_as_asked:
            raise NotPlainError
        queries = joined.queries[self.is_kept]
        if isinstance(judged, ListsByQuery) and isinstance(predicted, ListsByQuery):
            return first_of_lists(
                self._rows(judged, joined.judged_query),
                self._rows(predicted, joined.predicted_query),
                self._rows(given.scores, joined.predicted_query),
                depth,
                queries,
            )
        if isinstance(judged, ListsByQuery) or isinstance(predicted, ListsByQuery):
            raise NotPlainError
        rows = None if "rank" in predicted.columns else self._first_rows(predicted, depth)
        if rows is None:
            raise NotPlainError
        found = self._items(predicted, joined.predicted_query, self._values, rows)
        rows = np.flatnonzero(self.is_kept[joined.judged_query])
        known = self._items(judged, joined.judged_query, judged.values(), rows)
        return first_items_of(known, found, depth, queries)

    def _first_rows(self, predicted: JoinSide, depth: int) -> Positions | None:
        """Return the rows of queries that count, and that can be at the ranks up to `depth`.

        None: they are most of the rows.
        """
        if depth >= self._values.size > _FEW_ROWS:
            return None
        query, are_ranks = self.joined.predicted_query, "rank" in predicted.columns
        are_kept = self.is_kept[query]
        are_kept &= are_at_first_ranks(query, self._values, depth, are_ranks=are_ranks)
        return _unless_most(np.flatnonzero(are_kept), self._values.size)

    def _items(
        self, side: JoinSide, query: Positions, values: NDArray[Any], rows: Positions
    ) -> ItemsOfQueries:
        """Return some rows of a table as items of the queries that count."""
        ids, values = _as_stored(side.columns["item"].at(rows).values), values[rows]
        query = (np.cumsum(self.is_kept) - 1)[query[rows]]
        if (query[1:] < query[:-1]).any():
            row = stable_order(query)
            ids, values = ids[row], values[row]
        length = np.bincount(query, minlength=np.count_nonzero(self.is_kept))
        return ItemsOfQueries(ids, length, values)

    def _rows(self, lists: ListsByQuery | None, query: Positions) -> Any:
        """Return the lists of the queries that count, in the order of these."""
        if lists is None or lists.queries is None or not isinstance(lists.rows, list):
            return None if lists is None else lists.rows
        rows = [None] * self.is_kept.size
        for number, row in zip(query.tolist(), lists.rows, strict=True):
            rows[number] = row
        return list(compress(rows, self.is_kept))


_FORMS = {
    (False, False): "lists",
    (False, True): "lists and a table",
    (True, False): "a table and lists",
    (True, True): "two tables",
}
"""The form of both, by which of them are tables."""


class OneTable(JoinedLater):
    """A table in which judgments and predictions are joined already."""

    def __init__(self, columns: dict[str, Column], queries: str, duplicates: str) -> None:
        columns = {keyword: column.kept() for keyword, column in columns.items()}
        table = queries_in_table(columns)
        super().__init__(table.joined, (columns, columns), queries, duplicates)
        self._columns, (labels, self._judged) = columns, table.labels
        self._values, self._predicted = table.scores
        if "score" in columns and not columns["label"].are_gains:
            check_not_swapped(labels, self._values, columns["score"].invalid)
        self.check_order(columns, self._values)

    def join(self) -> Joined:
        """Return all entries."""
        self._check_samples()
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
        self._check_samples()
        columns = {keyword: column.at(rows) for keyword, column in self._columns.items()}
        return part_columns(columns, self.duplicates)

    def _check_samples(self) -> None:
        """Raise if the caller has changed a column."""
        for column in self._columns.values():
            column.check_sample()


def _unless_most(rows: Positions, n_rows: int) -> Positions | None:
    """Return the rows that count; None: more than half of many rows do."""
    return None if n_rows > _FEW_ROWS and 2 * rows.size > n_rows else rows


# --- the first items, found by their ids --------------------------------------------------------


Keys = NDArray[np.uint64]
ItemIds = PackedText | NDArray[np.int64]
"""Ids of items that are text or whole numbers."""

_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
"""An odd number, whose multiples tell queries apart."""
_MOST_BITS = 24
"""The size of the table in which items are looked up first is at most two to this power."""


class NotPlainError(Exception):
    """Ids or numbers are not plain, an item is there twice, or no judged item is found."""


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


def ids_in_rows(rows: Iterable[Collection[Any]], n_ids: int) -> ItemIds:
    """Return the ids in rows, which are all text or all whole numbers."""
    rows = filter(None, rows)
    first = next(rows, ())
    rows = chain((first,), rows)
    try:
        if type(next(iter(first), None)) is str:
            packed = packed_rows(rows, int(n_ids))
            if packed is not None:
                return packed
        else:
            numbers = list(chain.from_iterable(rows))
            if set(map(type, numbers)) == {int}:
                return np.array(numbers, np.int64)
    except (TypeError, OverflowError):
        pass
    raise NotPlainError  # Not all are text, or numbers are wide.


def first_items_of(
    judged: ItemsOfQueries, found: ItemsOfQueries, depth: int, queries: NDArray[Any]
) -> ReadItems:
    """Return judgments and predictions, of which these can be at the ranks up to `depth`."""
    if type(judged.ids) is not type(found.ids):
        raise NotPlainError
    judged_query, found_query = judged.query, found.query
    found_keys = keys_of(found.ids, found_query)
    judged_place, found_place = find_equal(
        keys_of(judged.ids, judged_query), found_keys, found.length
    )
    if not found_place.size or (judged_query[judged_place] != found_query[found_place]).any():
        raise NotPlainError
    ids, others = judged.ids[judged_place], cast(Any, found.ids[found_place])
    if not (ids.equals(others) if isinstance(ids, PackedText) else np.array_equal(ids, others)):
        raise NotPlainError
    labels = np.zeros(found.numbers.size, judged.numbers.dtype)
    labels[found_place] = judged.numbers[judged_place]
    scores = found.numbers
    if found.may_tie:  # Items of equal scores come in the order of their ids.
        groups = groups_of_lengths(found.length)
        tied = np.flatnonzero(have_ties(scores, groups))
        if tied.size:
            rows = groups.rows_of(tied)
            code = found.ids[rows]
            if isinstance(code, PackedText):
                code = code.sorted_unique()[1]
            order = np.arange(scores.size)
            order[rows] = rows[np.lexsort((code, found_query[rows]))]
            scores, labels = scores[order], labels[order]
    n_own = _count_own(found, found_keys, queries)
    return as_read(depth, judged, found.length, scores, labels)._replace(n_own=n_own)


def _count_own(found: ItemsOfQueries, keys: Keys, queries: NDArray[Any]) -> int:
    """Return how many of the found items have the id of their query."""
    ids: Any = None
    with suppress(NotPlainError):
        ids = _as_stored(queries)
    if type(ids) is not type(found.ids):
        return 0
    own_keys = keys_of(ids, np.arange(queries.size))
    rows = np.flatnonzero(np.repeat(own_keys, found.length) == keys)
    return int((np.asarray(found.ids[rows]) == np.asarray(ids[found.query[rows]])).sum())


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


def find_equal(judged: Keys, found: Keys, length: Positions) -> tuple[Positions, Positions]:
    """Return the judged and the found items that share a key; none if keys are repeated.

    `length` is the number of found items of each query, whose keys differ from those of others.
    """
    order = np.argsort(judged)
    judged, width = judged[order], int(length[0])
    is_even = width > 0 and (length == width).all()  # Short rows are sorted sooner than all keys.
    in_order = np.sort(found.reshape(-1, width if is_even else max(found.size, 1)))
    if (judged[1:] == judged[:-1]).any() or (in_order[:, 1:] == in_order[:, :-1]).any():
        return order[:0], order[:0]
    # Most items were not judged, which a few bits of their keys tell.
    bits = min(judged.size.bit_length() + 5, _MOST_BITS)
    shift = np.uint64(64 - bits)
    is_there = np.zeros(2**bits, dtype=bool)
    is_there[judged >> shift] = True
    may_be = np.flatnonzero(is_there[found >> shift])
    may_be = may_be[np.argsort(found[may_be])]  # in which order they are found sooner
    key = found[may_be]
    place = np.minimum(np.searchsorted(judged, key), judged.size - 1)
    are_equal = judged[place] == key
    return order[place[are_equal]], may_be[are_equal]


# --- first items of lists -----------------------------------------------------------------------


_FIRST, _SECOND, _GET = itemgetter(0), itemgetter(1), attrgetter("get")


def first_of_lists(
    relevant: Any, retrieved: Any, scores: Any, depth: int, queries: NDArray[Any]
) -> ReadItems:
    """Return the items that count if only the ranks up to `depth` do.

    All have something for each query, the same queries in the same order.
    """
    if not isinstance(relevant, list) or not isinstance(retrieved, list):
        raise NotPlainError
    types = set(map(type, relevant)) - {NoneType}
    if types == {dict}:
        judged = _of_dicts(relevant, None)
        if judged.numbers.size and judged.numbers.min() > MOST_OF_LABELS:
            raise NotPlainError  # They look like times.
    elif types <= {list, tuple, set, frozenset}:
        length = _lengths(relevant)
        ids = ids_in_rows(relevant, length.sum())
        judged = ItemsOfQueries(ids, length, np.ones(length.sum(), np.int8))
    else:
        raise NotPlainError
    read = None
    if scores is None and set(map(type, retrieved)) <= {dict, NoneType}:
        read = _first_of_dicts(judged, relevant, retrieved, depth)
    if read is not None:
        found = retrieved if all(retrieved) else [row or {} for row in retrieved]
        return read._replace(n_own=sum(map(dict.__contains__, found, queries.tolist())))
    return first_items_of(judged, _found_of(retrieved, scores, depth), depth, queries)


def _first_of_dicts(
    judged: ItemsOfQueries, relevant: list[Any], retrieved: list[Any], depth: int
) -> ReadItems | None:
    """Return the same of dicts of scores, in whose first items no scores of a query are equal.

    The judged items are looked up in the dicts, and their scores tell their places. So no other
    id is looked at. None: scores tie, or ids may be of other types.
    """
    full = list(filter(None, retrieved))
    scores = as_numbers(chain.from_iterable(map(dict.values, full)))
    if scores.dtype.kind == "i" and max(-int(scores.min()), int(scores.max())) > 2**53:
        return None  # NaN, which says that there is no score, would round the others.
    # No text is equal to anything else. Of other ids, 1 is equal to True and to 1.0.
    is_text, ids = isinstance(judged.ids, PackedText), chain.from_iterable(full)
    if type(next(ids, None)) is not str if is_text else set(map(type, ids)) != {int}:
        return None
    length = _lengths(retrieved)
    if length.max() > depth:
        are_kept = are_first(scores, groups_of_lengths(length), depth)
        scores, length = scores[are_kept], _count(are_kept, length)
    rows, sought = ([own or {} for own in side] for side in (retrieved, relevant))
    looked_up = map(map, map(_GET, rows), sought, repeat(repeat(np.nan)))
    found = np.fromiter(chain.from_iterable(looked_up), np.float64, judged.numbers.size)
    row = np.flatnonzero(~np.isnan(found))
    score_of_row = found[row].astype(scores.dtype)
    query, query_of_row = np.repeat(np.arange(length.size), length), judged.query[row]
    lowest = np.full(length.size, scores.max(), scores.dtype)
    np.minimum.at(lowest, query, scores)
    is_first = score_of_row >= lowest[query_of_row]
    row, score_of_row, query_of_row = row[is_first], score_of_row[is_first], query_of_row[is_first]
    keys = keys_of(score_of_row + 0.0, query_of_row), keys_of(scores + 0.0, query)  # -0 becomes 0
    judged_place, place = find_equal(*keys, length)  # No key is repeated, so both are one item.
    if not place.size:
        return None
    labels = np.zeros(scores.size, judged.numbers.dtype)
    labels[place] = judged.numbers[row[judged_place]]
    return as_read(depth, judged, length, scores, labels)


def _found_of(rows: list[Any], scores: Any, depth: int) -> ItemsOfQueries:
    """Return the retrieved ids that can be at the ranks up to `depth`."""
    types = set(map(type, rows)) - {NoneType}
    if types == {dict} and scores is None:
        return _of_dicts(rows, depth)
    if not types <= {list, tuple}:
        raise NotPlainError
    length, full = _lengths(rows), list(filter(None, rows))
    if scores is not None:
        is_list = isinstance(scores, list) and set(map(type, scores)) <= {list, tuple, NoneType}
        if not is_list or not np.array_equal(_lengths(scores), length):
            raise NotPlainError
        numbers = chain.from_iterable(filter(None, scores))
        return _cut(full, length, numbers, depth)
    if full and isinstance(full[0][0], (tuple, list)):
        pairs = list(chain.from_iterable(full))
        if not set(map(type, pairs)) <= {tuple, list} or set(map(len, pairs)) != {2}:
            raise NotPlainError
        return _cut([list(map(_FIRST, pairs))], length, map(_SECOND, pairs), depth)
    first: Iterable[Any] = full
    if length.max() > depth:
        first, length = map(itemgetter(slice(depth)), full), np.minimum(length, depth)
    ids = ids_in_rows(first, length.sum())
    # The first of a list has the score -1, as if its rank was 1.
    return ItemsOfQueries(ids, length, -1 - places_in_lists(length), may_tie=False)


def _lengths(rows: list[Any]) -> Positions:
    """Return the number of entries of each query."""
    rows = rows if all(rows) else [row or () for row in rows]
    return np.fromiter(map(len, rows), np.intp, len(rows))


def _of_dicts(rows: list[Any], depth: int | None) -> ItemsOfQueries:
    """Return the ids of dicts with their numbers."""
    full = list(filter(None, rows))
    numbers = chain.from_iterable(map(dict.values, full))
    return _cut(full, _lengths(rows), numbers, depth)


def _cut(
    rows: list[Any], length: Positions, numbers: Iterable[Any], depth: int | None
) -> ItemsOfQueries:
    """Return what can be at the ranks up to `depth`."""
    values = as_numbers(numbers)
    if depth is not None and length.max() > depth:
        are_kept = are_first(values, groups_of_lengths(length), depth)
        length = _count(are_kept, length)
        rows = [list(compress(chain.from_iterable(rows), are_kept))]
        values = values[are_kept]
    return ItemsOfQueries(ids_in_rows(rows, length.sum()), length, values)


def _count(are_kept: NDArray[np.bool_], length: Positions) -> Positions:
    """Return the number of entries of each query that are kept."""
    return np.bincount(np.repeat(np.arange(length.size), length)[are_kept], minlength=length.size)


def as_numbers(numbers: Iterable[Any]) -> NDArray[Any]:
    """Return finite numbers, all ints or all floats, as an array."""
    numbers = iter(numbers)
    first = list(islice(numbers, 1))
    kind = type(first[0]) if first else float
    if kind not in (int, float):
        raise NotPlainError
    try:  # The method, which takes no other types, returns the number itself.
        values = np.fromiter(map(kind.conjugate, chain(first, numbers)), np.dtype(kind))
    except (TypeError, OverflowError) as error:
        raise NotPlainError from error
    if not np.isfinite(values).all():
        raise NotPlainError
    return values


# --- first items of tables ----------------------------------------------------------------------


def _as_stored(values: Any) -> ItemIds:
    """Return ids that are text or whole numbers without nulls."""
    if isinstance(values, PackedText):
        return values
    packed = pack_text(values)
    if packed is not None:
        return packed
    if isinstance(values, np.ndarray) and values.dtype == object:
        values = values.tolist()
    if isinstance(values, list):
        return ids_in_rows([values], len(values))
    if library_of(values) in LIBRARIES:
        if has_null(values):
            raise NotPlainError
        runs = runs_of_column(values)  # Only categories have runs.
        if runs is not None:
            return ids_in_rows([runs.ids.tolist()], runs.ids.size)[runs.which_of_row]
        values = np.asarray(values)
    is_wide = getattr(values, "dtype", None) == np.uint64
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu" or is_wide:
        raise NotPlainError
    return values.astype(np.int64, copy=False)
