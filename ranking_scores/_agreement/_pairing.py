"""Two rankings of the same queries in one object, whatever they came from.

Each item of a query, be it in one ranking or in both, has a cell. It says where the item is in
either: how many items are surely above it, and how many share its score. So nothing here depends
on the orders of ties, and no score looks at the data again.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._by_id import by_id
from ranking_scores._base._errors import Place, invalid, warn_caller
from ranking_scores._base._index import Indexes
from ranking_scores._base._packed_text import PackedText
from ranking_scores._base._results import count_queries, with_types
from ranking_scores._base._sorting import sort_rows, start_runs_in_rows, unique_inverse
from ranking_scores._base._threads import once
from ranking_scores._base._validation import (
    WHOLE_LIST,
    check_bool,
    check_finite_weights,
    check_option,
    check_real_array,
    check_stored,
    describe,
    is_sparse,
    without_last_axis,
)
from ranking_scores._queries._blocks import (
    RowsOfQueries,
    as_padded,
    cut_by_length,
    groups_of_lengths,
    padding,
)
from ranking_scores._queries._by_ids import are_first, run_of
from ranking_scores._queries._data import is_list_column
from ranking_scores._queries._lists import flatten
from ranking_scores._queries._query_ids import cut_into_runs
from ranking_scores._queries._ragged import groups_of
from ranking_scores._tables._join import DUPLICATES, Duplicates, with_fillers
from ranking_scores._tables._known_names import check_names_of_columns
from ranking_scores._tables._ranking_data import (
    OF_TWO_RANKINGS,
    QueriesSeen,
    SomeQueries,
    likely_same_ids,
    see_queries,
)
from ranking_scores._tables._two_runs import (
    JoinedRuns,
    MatchedLists,
    is_by_id,
    join_runs,
    match_lists,
    read_lists,
    read_run_of,
)

Positions = NDArray[np.intp]
Ints = NDArray[np.int32]

_FUNCTION = "pair_rankings"
_READ_IDS = (
    "Pass ids=True, or lists of ids as a dict by query, as in `{'q1': ['d1', 'd2']}`, and read "
    "files with `ranking_scores.trec.read_run`. If these are scores, convert them to numbers."
)
_NAMES = ("a", "b")
_WORTH_WHILE = 4
"""From so many items per rank on, those at the first ranks are found before they are ranked."""
CODE_OF_IDS = "pair_rankings(a, b).query_ids"
"""The code for the ids of the queries that both rankings have."""
_NO_QUERIES = SomeQueries(0, ())


@with_types
class Places(NamedTuple):
    """Where the items of all queries are in one of two rankings.

    Attributes
    ----------
    above : ndarray of int of shape (n_cells,)
        The number of items of the ranking whose score is higher than that of the item.

    size : ndarray of int of shape (n_cells,)
        The number of items of the ranking with the score of the item, itself among them: 1 unless
        it ties. 0: the item is not in this ranking, and `above` means nothing.

    length : ndarray of int of shape (n_queries,)
        The number of items of each query in this ranking.
    """

    above: NDArray[np.int32]
    size: NDArray[np.int32]
    length: NDArray[np.intp]


@dataclass(frozen=True)
class PairedRankings:
    """Two rankings of the same queries, which all functions of this module take in place of both.

    The items of a query are those of either ranking, each once. Its cells are those from
    ``starts[query]`` up to ``starts[query + 1]``.

    Attributes
    ----------
    a, b : Places
        Where each item is in either ranking: how many items are `above` it, the `size` of its tie
        group, which is 0 if it is not there, and the `length` of the list of each query.

    starts : ndarray of int of shape (n_queries + 1,)
        The first cell of each query, and the number of all cells.

    query_ids : ndarray of shape (n_queries,) or None
        The ids of the queries, sorted. None: the queries are rows.

    item : ndarray of int of shape (n_cells,)
        The number of the item of each cell: its index among `item_ids`, or its column, or its row
        if the rankings came with `qid`.

    item_ids : ndarray or None
        The ids of the items. Those that are None only fill ranks. None: the items have no ids.

    n_shared : ndarray of int of shape (n_queries,)
        The number of items of each query that both rankings have.

    n_moved : ndarray of int of shape (n_queries,)
        The number of items of each query whose place, or tie group, is not the same in both.

    only_a, only_b : SomeQueries
        The queries that only one of the rankings has, with their `count` and the ids of the
        `first` three. They are not among the queries here.

    notes : tuple of str
        What was taken for what when the rankings were read.
    """

    a: Places
    b: Places
    starts: NDArray[np.intp]
    query_ids: NDArray[Any] | None = None
    only_a: SomeQueries = _NO_QUERIES
    only_b: SomeQueries = _NO_QUERIES
    notes: tuple[str, ...] = ()
    _item: NDArray[np.integer[Any]] | None = field(init=False, default=None)
    _item_ids: NDArray[Any] | PackedText | None = field(init=False, default=None)
    _n_fillers: int = field(init=False, default=0)
    _id_of_cell: NDArray[Any] | PackedText | None = field(init=False, default=None)
    """The id of the item of each cell, if nobody has compared those of different queries yet."""

    @property
    def n_queries(self) -> int:
        """The number of queries that both rankings have."""
        return self.starts.size - 1

    @once
    def item(self) -> NDArray[np.integer[Any]]:
        """The number of the item of each cell."""
        if self._id_of_cell is not None:
            return self._numbered[1]
        if self._item is not None:
            return self._item
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], np.diff(self.starts))

    @once
    def item_ids(self) -> NDArray[Any] | None:
        """The ids of the items."""
        if self._id_of_cell is not None:
            return np.asarray(self._numbered[0])
        if self._item_ids is None:
            return None
        return with_fillers(np.asarray(self._item_ids), self._n_fillers)

    @once
    def _numbered(self) -> tuple[NDArray[Any] | PackedText, NDArray[np.int32]]:
        """The different ids of the cells, sorted, and the number of that of each cell."""
        ids = self._id_of_cell
        assert ids is not None
        unique, number = (
            ids.sorted_unique() if isinstance(ids, PackedText) else unique_inverse(ids)
        )
        return unique, number.astype(np.int32)

    @once
    def n_shared(self) -> NDArray[np.int64]:
        """The number of items of each query that both rankings have."""
        return self._count((self.a.size > 0) & (self.b.size > 0))

    @once
    def n_moved(self) -> NDArray[np.int64]:
        """The number of items of each query whose place, or tie group, is not the same in both."""
        return self._count((self.a.above != self.b.above) | (self.a.size != self.b.size))

    def _count(self, cells: NDArray[np.bool_]) -> NDArray[np.int64]:
        so_far = np.append(0, np.cumsum(cells))
        return np.asarray(so_far[self.starts[1:]] - so_far[self.starts[:-1]])

    @property
    def groups(self) -> RowsOfQueries:
        """The cells of each query."""
        return groups_of_lengths(np.diff(self.starts))

    @property
    def queries_seen(self) -> QueriesSeen:
        """The queries that the rankings have, as a join describes them."""
        n_both, first = self.n_queries, () if self.query_ids is None else self.query_ids[:3]
        both = SomeQueries(n_both, tuple(first))
        n_queries = n_both + self.only_a.count + self.only_b.count
        sides = both + self.only_a, both + self.only_b, self.only_a, self.only_b
        return QueriesSeen(n_queries, n_both, *sides, queries=OF_TWO_RANKINGS)

    def lines(self) -> list[str]:
        """Return, in words, the queries that only one of the rankings has."""
        return self.queries_seen.lines()

    def __repr__(self) -> str:
        n_both = int(np.count_nonzero((self.a.size > 0) & (self.b.size > 0)))
        n_items = int(self.starts[-1])
        items = f"{n_items} item{'s' * (n_items != 1)}"
        facts = f"{count_queries(self.n_queries)}, {items}, {n_both} of them in both"
        return "\n".join([f"PairedRankings: {facts}", *self.lines()])


def pair(
    a: Any,
    b: Any,
    *,
    qid: ArrayLike | None = None,
    ids: bool | None = None,
    duplicates: Duplicates = "error",
    depth: int = WHOLE_LIST,
    **names: Any,
) -> PairedRankings:
    """Return two rankings of any kind as one object. `names` are those of columns of tables.

    Items that can be in none of the first `depth` ranks of a ranking may be missing there.
    """
    check_option(duplicates, "duplicates", _FUNCTION, DUPLICATES)
    names = {"query": None, "item": None, "score": None, "rank": None} | names
    check_names_of_columns(_FUNCTION, **names)
    has_ids = ids is not None and check_bool(ids, "ids", _FUNCTION)
    if isinstance(a, PairedRankings):
        has_other = None if duplicates == "error" else duplicates
        options = {"b": b, "qid": qid, "ids": ids, "duplicates": has_other, **names}
        _refuse(options, "`a` is PairedRankings, which has both rankings")
        return a
    if b is None:
        raise invalid("b", _FUNCTION, "a ranking of the same queries, like a", "None")
    are_by_id = [is_by_id(each, names) for each in (a, b)]
    if all(are_by_id):
        _refuse({"qid": qid, "ids": ids}, "the rankings come with the ids of queries")
        matched = match_lists({"a": a, "b": b}, names, _FUNCTION)
        if matched is not None:
            return _pair_matched(matched)
        first, second = [
            read_run_of(each, names, name, _FUNCTION) for name, each in (("a", a), ("b", b))
        ]
        notes = [
            f"{name}: {note}"
            for name, run in zip("ab", (first, second), strict=True)
            for note in run.notes
        ]
        return pair_joined(join_runs(first, second, duplicates), tuple(notes))
    if has_ids and not any(are_by_id):
        _refuse({"qid": qid, **names}, "the rankings are lists of ids")
        first, second = read_lists({"a": a, "b": b}, _FUNCTION)
        return pair_joined(join_runs(first, second, duplicates), ())
    for name, each in (("a", a), ("b", b)):
        if _is_text(each):
            expected = "a dict by query, a table or an array of scores"
            raise invalid(name, _FUNCTION, expected, describe(each), code=_READ_IDS)
    if any(are_by_id):
        expected = "a dict by query, a table or RankingData, like a"
        if are_by_id[1]:
            expected = "an array of scores, like a"
        raise invalid("b", _FUNCTION, expected, describe(b))
    _refuse(names, "the rankings are arrays")
    return _pair_arrays(a, b, qid, depth, may_be_ids=ids is None)


def _is_text(values: Any) -> bool:
    """Return whether a value is text, or lists of text, which have ids rather than scores."""
    if isinstance(values, np.ndarray):
        values = values.ravel()[:1].tolist()
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    return isinstance(values, str)


def _refuse(options: Mapping[str, Any], why: str) -> None:
    """Raise if an option is given that the data does not use."""
    for name, value in options.items():
        if value is not None:
            raise invalid(name, _FUNCTION, f"None if {why}", describe(value))


def _with_fields(paired: PairedRankings, **values: Any) -> PairedRankings:
    """Return paired rankings with other values of some fields, also of those that are private."""
    paired = copy(paired)
    vars(paired).update(values)
    return paired


def pair_joined(
    joined: JoinedRuns, notes: tuple[str, ...], names: tuple[str, str] = _NAMES
) -> PairedRankings:
    """Return two runs that were joined by ids. Warn if they share few queries, or no item.

    `names` are those of the two in messages.
    """
    _check_shared(joined.seen, names)
    lists = [
        _RankedItems(run.query, run.item, run.values, joined.query_ids.size)
        for run in (joined.first, joined.second)
    ]
    paired = _pair_lists(lists, joined.item_ids.size + joined.n_fillers)
    return _with_fields(
        _with_queries(paired, joined.query_ids, joined.seen, names),
        notes=notes,
        _item_ids=joined.item_ids,
        _n_fillers=joined.n_fillers,
    )


def _pair_matched(matched: MatchedLists) -> PairedRankings:
    """Return two runs whose items were matched within each query. Warn as of those joined."""
    seen = see_queries(matched.joined, keep_ids=True)
    _check_shared(seen)
    is_both = matched.joined.is_judged & matched.joined.is_predicted
    is_kept = is_both[matched.query]
    are_all = bool(is_both.all())
    length_of_both = np.bincount(matched.query, minlength=is_both.size)[is_both]
    sides = []
    for of_side, cells in zip(matched.sides, matched.cells, strict=True):
        groups = groups_of_lengths(of_side.length)
        if of_side.scores is None:
            place = np.arange(cells.size) - np.repeat(groups.first, groups.length)
            above, size = place.astype(np.int32), np.ones(cells.size, np.int32)
        else:
            above, size = _tie_groups(of_side.scores, groups)
        side = _at_cells(cells, above, size, is_kept.size)
        side = side if are_all else side[:, is_kept]
        sides.append(Places(side[0], side[1], groups.length[is_both]))
    paired = _with_fields(
        PairedRankings(sides[0], sides[1], np.append(0, np.cumsum(length_of_both))),
        _id_of_cell=matched.ids if are_all else matched.ids[is_kept],
    )
    return _with_queries(paired, matched.joined.queries[is_both], seen)


def _check_shared(seen: QueriesSeen, names: tuple[str, str] = _NAMES) -> None:
    """Raise if two runs share no query, and warn if they share few."""
    a, b = names
    if not seen.n_both:
        got = f"{seen.judged} in {a} and {seen.predicted} in {b}"
        wrong, other = ("b", a) if seen.judged.count else ("a", b)
        raise invalid(wrong, _FUNCTION, f"a ranking with a query of {other}", got)
    if seen.n_both < min(seen.judged.count, seen.predicted.count) / 2:
        same = likely_same_ids(seen.only_judged.first, seen.not_judged.first)
        warn_caller(
            f"{a} and {b} share only {count_queries(seen.n_both)}. "
            f"{a} has {seen.judged.count}, and {b} has {seen.predicted.count}. "
            f"Only in {a} are {seen.only_judged}, and only in {b} are {seen.not_judged}.{same}",
            UserWarning,
        )


def _with_queries(
    paired: PairedRankings,
    query_ids: NDArray[Any],
    seen: QueriesSeen,
    names: tuple[str, str] = _NAMES,
) -> PairedRankings:
    """Return two rankings with the ids of their queries. Warn if they share no item."""
    n_items = paired.a.length.sum(), paired.b.length.sum()
    if all(n_items) and paired.starts[-1] == sum(n_items):
        warn_caller(
            f"No item of a query is in both {' and '.join(names)}. Check that both have the same "
            "ids.",
            UserWarning,
        )
    return _with_fields(
        paired, query_ids=query_ids, only_a=seen.only_judged, only_b=seen.not_judged
    )


def ids_left_out(paired: PairedRankings) -> NDArray[Any] | None:
    """Return the ids of the queries of one ranking alone; None: there are none."""
    ids = [each.ids for each in (paired.only_a, paired.only_b) if each.ids is not None]
    return np.concatenate(ids) if ids else None


def weight_of_queries(
    paired: PairedRankings, sample_weight: Any, function: str
) -> NDArray[np.float64] | None:
    """Return the weight of each query; None: all weigh the same."""
    if sample_weight is None:
        return None
    otherwise = "If its values are in the order of the queries, pass `.to_numpy()`."
    given = by_id(sample_weight, "sample_weight", function, CODE_OF_IDS, otherwise)
    values = sample_weight if given is None else given.values
    weight = check_finite_weights(values, "sample_weight", function)
    if given is not None:
        given = given._replace(left_out=ids_left_out(paired))
        return given.in_order(weight, paired.query_ids, "sample_weight", function)
    if weight.shape != (paired.n_queries,):
        expected = f"of shape ({paired.n_queries},), one weight per query"
        raise invalid("sample_weight", function, expected, f"shape {weight.shape}")
    return weight


class _RankedItems(NamedTuple):
    """The items of all queries in one ranking, sorted by query and by item."""

    query: Positions
    item: NDArray[np.integer[Any]]
    scores: NDArray[Any]
    n_queries: int


def _pair_lists(lists: list[_RankedItems], n_items: int) -> PairedRankings:
    """Return the items of both lists of each query, each once."""
    a, b = lists
    keys = [ranked.query.astype(np.int64) * n_items + ranked.item for ranked in lists]
    key = np.concatenate(keys)
    order = np.argsort(key, kind="stable")  # merges the two, which are sorted
    in_order = key[order]
    is_new = np.ones(key.size, dtype=bool)
    np.not_equal(in_order[1:], in_order[:-1], out=is_new[1:])
    cell = np.empty(key.size, np.intp)
    cell[order] = np.cumsum(is_new) - 1
    first = order[is_new]
    query, item = (np.concatenate(pair)[first] for pair in ((a.query, b.query), (a.item, b.item)))
    starts = np.searchsorted(query, np.arange(a.n_queries + 1))
    sides = []
    for ranked, cells in ((a, cell[: a.item.size]), (b, cell[a.item.size :])):
        length = np.bincount(ranked.query, minlength=a.n_queries)
        above, size = _tie_groups(ranked.scores, groups_of_lengths(length))
        side = _at_cells(cells, above, size, first.size)
        sides.append(Places(side[0], side[1], length))
    return _with_fields(PairedRankings(sides[0], sides[1], starts), _item=item)


def _at_cells(cells: Positions, above: Ints, size: Ints, n_cells: int) -> Ints:
    """Return `above` and `size` of all cells, (2, n_cells); 0 where the list has no item."""
    places = np.zeros((2, n_cells), np.int32)
    places[0, cells], places[1, cells] = above, size
    return places


def _pair_arrays(
    a: Any, b: Any, qid: ArrayLike | None, depth: int, *, may_be_ids: bool
) -> PairedRankings:
    """Return arrays of scores of the same items."""
    if is_list_column(a) or is_list_column(b):
        return _pair_columns(a, b, qid, may_be_ids=may_be_ids)
    if is_sparse(a) or is_sparse(b):
        return _pair_sparse(a, b, qid)
    indexes = Indexes(_FUNCTION, has_columns=qid is None)
    for name, each in (("a", a), ("b", b)):
        indexes.check(name, each)
    scores = [check_real_array(each, name, _FUNCTION) for name, each in (("a", a), ("b", b))]
    if qid is not None:
        scores = [np.squeeze(score, 1) if score.shape[1:] == (1,) else score for score in scores]
    shape = scores[0].shape
    n_axes = (1, 2) if qid is None else (1,)
    if len(shape) not in n_axes or not all(shape[:1]):
        expected = "of shape (n_queries, n_items), with at least one query"
        if qid is not None:
            expected = "1-D and not empty if `qid` is given"
        code = without_last_axis("a", shape, n_axes[-1])
        raise invalid("a", _FUNCTION, expected, f"shape {shape}", code=code)
    _check_same_shape(scores[1].shape, shape)
    if qid is None:
        n_queries, n_items = np.atleast_2d(scores[0]).shape
        groups, query_ids, item = groups_of_lengths(np.full(n_queries, n_items)), None, None
        flat = [score.reshape(-1) for score in scores]
    else:
        runs = cut_into_runs(qid, _FUNCTION)
        if runs.n_rows != shape[0]:
            expected = f"of the shape of a, {shape}"
            raise invalid("qid", _FUNCTION, expected, f"shape ({runs.n_rows},)")
        query_ids = runs.ids
        item = groups_of(runs).rows_of(np.arange(query_ids.size))
        groups = groups_of_lengths(groups_of(runs).length)
        flat = [score[item] for score in scores]
    may_be_ids &= qid is None
    return _pair_same_items(flat, groups, query_ids, item, depth, may_be_ids=may_be_ids)


def _pair_same_items(
    scores: list[NDArray[Any]],
    groups: RowsOfQueries,
    query_ids: NDArray[Any] | None,
    item: Positions | None,
    depth: int = WHOLE_LIST,
    *,
    may_be_ids: bool,
) -> PairedRankings:
    """Return rankings of the same items, query after query. Raise if they look like ids."""
    for name, each in zip("ab", scores, strict=True):
        _check_finite(each, name, groups, query_ids)
    are_ids = may_be_ids and all(each.dtype.kind in "iu" for each in scores)
    if not are_ids and _WORTH_WHILE * depth * groups.length.size <= groups.length.sum():
        return _pair_first(scores, groups, query_ids, depth)
    sides = [Places(*_tie_groups(each, groups), groups.length) for each in scores]
    if are_ids and all((side.size == 1).all() for side in sides):
        expected = "True if a and b have ids, the best first, or False if they have scores"
        got = "None, and whole numbers of which no row has one twice,"
        raise invalid("ids", _FUNCTION, expected, got)
    starts = np.append(groups.first, groups.length.sum())
    paired = PairedRankings(sides[0], sides[1], starts, query_ids)
    return _with_fields(paired, _item=item)


def _pair_first(
    scores: list[NDArray[Any]], groups: RowsOfQueries, query_ids: NDArray[Any] | None, depth: int
) -> PairedRankings:
    """Return only the items that can be in the first `depth` ranks of one of the rankings."""
    are_kept = [are_first(each, groups, depth) for each in scores]
    kept = np.flatnonzero(are_kept[0] | are_kept[1])
    starts = np.searchsorted(kept, np.append(groups.first, scores[0].size))
    sides = []
    for each, is_kept in zip(scores, are_kept, strict=True):
        cells = np.flatnonzero(is_kept[kept])
        found = _tie_groups(
            each[kept[cells]], groups_of_lengths(np.diff(cells.searchsorted(starts)))
        )
        side = _at_cells(cells, *found, kept.size)
        sides.append(Places(side[0], side[1], groups.length))
    return PairedRankings(sides[0], sides[1], starts, query_ids)


def _pair_columns(a: Any, b: Any, qid: ArrayLike | None, *, may_be_ids: bool) -> PairedRankings:
    """Return columns of lists of scores."""
    _refuse({"qid": qid}, "the columns hold lists")
    scores, lengths = [], []
    for name, column in (("a", a), ("b", b)):
        if not is_list_column(column):
            expected = f"a column of lists, like {'b' if name == 'a' else 'a'}"
            raise invalid(name, _FUNCTION, expected, describe(column))
        flat, length = flatten(column)
        values = check_real_array(flat, name, _FUNCTION) if len(flat) else np.empty(0)
        scores.append(values)
        lengths.append(length)
    if not np.array_equal(lengths[0], lengths[1]):
        raise invalid("b", _FUNCTION, "a column of lists as long as those of a", "other lengths")
    groups = groups_of_lengths(lengths[0])
    return _pair_same_items(scores, groups, None, None, may_be_ids=may_be_ids)


def _pair_sparse(a: Any, b: Any, qid: ArrayLike | None) -> PairedRankings:
    """Return scores that are stored for the items that were retrieved."""
    _refuse({"qid": qid}, "the scores are sparse")
    lists = []
    shapes = [np.shape(each) for each in (a, b)]
    for name, each in (("a", a), ("b", b)):
        if is_sparse(each):
            stored = check_stored(each, name, _FUNCTION).sorted_indices()
            query = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
            item, scores, n_queries = stored.indices, stored.data, stored.shape[0]
            is_repeat = (item[1:] == item[:-1]) & (query[1:] == query[:-1])
            if is_repeat.any():
                first = int(np.argmax(is_repeat))
                place = Place(query=int(query[first]))
                expected, got = "a matrix that stores each item once", f"item {item[first]} twice"
                raise invalid(name, _FUNCTION, expected, got, place=place)
        else:
            dense = check_real_array(each, name, _FUNCTION)
            if dense.ndim != 2:
                raise invalid(
                    name, _FUNCTION, "2-D if the other is sparse", f"shape {dense.shape}"
                )
            query, item = (axis.reshape(-1) for axis in np.indices(dense.shape))
            scores, n_queries = dense.reshape(-1), len(dense)
        length = np.bincount(query, minlength=n_queries)
        _check_finite(scores, name, groups_of_lengths(length), None)
        lists.append(_RankedItems(query, item, scores, n_queries))
    _check_same_shape(shapes[1], shapes[0])
    return _pair_lists(lists, max(shapes[0][1], 1))


def _check_same_shape(shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Raise unless both rankings have the same shape."""
    if shape != expected:
        raise invalid("b", _FUNCTION, f"of the shape of a, {expected}", f"shape {shape}")


def _check_finite(
    scores: NDArray[Any], parameter: str, groups: RowsOfQueries, query_ids: NDArray[Any] | None
) -> None:
    """Raise if a score is NaN or infinite."""
    if scores.dtype.kind != "f" or np.isfinite(scores).all():
        return
    is_bad = ~np.isfinite(scores)
    query = np.unique(np.repeat(np.arange(groups.length.size), groups.length)[is_bad])
    place = Place(query=int(query[0]), is_first=True)
    if query_ids is not None:
        place = place._replace(query=query_ids[query[:1]].tolist()[0], query_is="qid")
    got = f"NaN or infinity in {query.size} of {groups.length.size} queries"
    advice = "A sparse array stores only the items that were retrieved."
    raise invalid(parameter, _FUNCTION, "finite", got, advice, place=place)


def _tie_groups(scores: NDArray[Any], groups: RowsOfQueries) -> tuple[Ints, Ints]:
    """Return the number of items above each item of its query, and the size of its tie group."""
    above, size = np.empty(scores.size, np.int32), np.ones(scores.size, np.int32)
    for queries in cut_by_length(groups.length):
        rows = run_of(groups, queries)
        is_item, shape = padding(groups.length[queries])
        values = as_padded(scores[rows], is_item, shape)
        cell, in_order = sort_rows(np.subtract(0, values), shape[1], reverse_ties=False)
        place = np.broadcast_to(np.arange(shape[1], dtype=np.int32), shape)
        is_start = start_runs_in_rows(in_order)
        by_rank = [(place, above)]
        if not is_start.all():
            start = np.maximum.accumulate(np.where(is_start, place, 0), axis=1)
            first = np.flatnonzero(is_start)
            n_items = np.diff(first, append=is_start.size)
            by_rank = [(start, above), (np.repeat(n_items, n_items), size)]
        for ranked, target in by_rank:
            of_cell = np.empty(values.size, np.int32)
            of_cell[cell.ravel()] = ranked.ravel()
            target[rows] = of_cell if is_item is None else of_cell[is_item.ravel()]
    return above, size
