"""Judgments and predictions by id, and how functions take them in place of arrays.

The data knows which queries are judged, predicted or both, and describes itself in words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, Protocol, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid, show_id, visible, warn_caller
from ranking_scores._base._ids import as_objects
from ranking_scores._base._packed_text import PackedText
from ranking_scores._base._results import as_text, count_queries, in_html, with_types
from ranking_scores._base._validation import as_csr, csr_array
from ranking_scores._queries._blocks import groups_of_lengths, spread
from ranking_scores._queries._by_ids import have_ties
from ranking_scores._queries._data import (
    Aspects,
    DataByIds,
    FirstItems,
    ItemOrder,
    RetrievedColumns,
    no_scores,
    refuse_aspects,
    two_scores,
)
from ranking_scores._queries._over_aspects import judgments_of_aspects
from ranking_scores._tables._columns import Column, Positions, sort_ids

# --- the queries that two tables have -----------------------------------------------------------


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
        return SomeQueries(self.count + other.count, tuple(first[:_N_IDS_SHOWN]))

    def __str__(self) -> str:
        shown = ", ".join(map(show_id, self.first[:3])) or "none"
        return f"{shown}, …" if self.count > 3 else shown


_N_IDS_SHOWN = 3


def refuse_unjudged(seen: QueriesSeen | None, function: str) -> None:
    """Raise if data has queries that nobody judged, which would have no answer."""
    if seen is not None and seen.queries == "all" and seen.not_judged.count:
        expected = "data of judged queries, since nobody looked for the answers of the others"
        got = f"{count_queries(seen.not_judged.count)} not judged: {seen.not_judged}"
        raise invalid("y_true", function, expected, got, code="Pass queries='judged'.")


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
        not_judged_effect, only_judged_effect = effects.get(self.queries, ("", ""))
        if are_empty_lists and only_judged_effect == "count 0":
            only_judged_effect = "have an empty list"
        lines = []
        sides = [
            (self.not_judged, "predicted but not judged", not_judged_effect),
            (self.only_judged, "judged but not predicted", only_judged_effect),
        ]
        if self.queries == OF_TWO_RANKINGS:
            sides = [
                (self.only_judged, f"only in {names[0]}", only_judged_effect),
                (self.not_judged, f"only in {names[1]}", not_judged_effect),
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


_NONE = SomeQueries(0, ())
NO_QUERIES = QueriesSeen(0, 0, _NONE, _NONE, _NONE, _NONE)


def warn_of_none_found(
    table: str,
    judged: Sequence[Any] = (),
    predicted: Sequence[Any] = (),
    *,
    can_split: bool = False,
) -> None:
    """Warn that the judged and the predicted items have no item in common.

    If their ids are known, the first ones are shown, and what would make some of them equal.
    """
    words = _NONE_FOUND[table]
    if len(judged) and len(predicted):
        words += f" They have {show_id(judged[0])} and {show_id(predicted[0])}."
        same = likely_same_ids(judged, predicted, "item")
        found = None if same else split_between(judged, predicted)
        if found is not None:
            how = f"With split={found[0]!r}" if can_split else f"Cut at {found[0]!r}"
            same = f" {how}, {show_id(found[1])} becomes {show_id(found[2])}."
        words += same
    warn_caller(words, UserWarning)


def split_between(
    documents: Sequence[Any], passages: Sequence[Any]
) -> tuple[str, str, str] | None:
    """Return a text by which a passage becomes a document, with both of them; None: there is none.

    It begins where the id of the document ends, with a sign that is no letter or digit.
    """
    texts = {own for own in documents if isinstance(own, str)}
    for passage in passages:
        for end in _SIGNS.finditer(passage) if isinstance(passage, str) else ():
            document = passage[: end.start()]
            for split in end.groups():
                is_cut = document in texts and passage.rsplit(split, 1)[0] == document
                if is_cut and not any(split in own for own in texts):
                    return split, passage, document
    return None


_SIGNS = re.compile(r"(?=(([^a-zA-Z0-9]+)(?:[a-zA-Z]+[^a-zA-Z0-9]+)?))")
"""Signs after the id of a document, and perhaps a word such as "chunk" with others behind it."""
_NONE_FOUND = {
    "judgments": "No judged item is among the predictions. Check that both tables use the same "
    "item ids.",
    "exact_ids": "No point of exact search is among those that the index found. Check that both "
    "have the same ids.",
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
        SomeQueries(int(np.count_nonzero(are)), tuple(ids[np.flatnonzero(are)[:_N_IDS_SHOWN]]))
        for are in (is_judged, is_predicted, is_judged & ~is_predicted, ~is_judged)
    )
    n_both = judged.count - only_judged.count
    if keep_ids:
        only_judged = replace(only_judged, ids=ids[is_judged & ~is_predicted])
        not_judged = replace(not_judged, ids=ids[~is_judged])
    return QueriesSeen(ids.size, n_both, judged, predicted, only_judged, not_judged)


def likely_same_ids(ids: Iterable[Any], others: Iterable[Any], what: str = "query") -> str:
    """Return words on the first two ids that differ only in how they are written, or no words."""
    written = {_plain(own): own for own in ids if isinstance(own, str)}
    for other in others:
        if isinstance(other, str) and _plain(other) in written:
            pair = ascii(written[_plain(other)]), ascii(other)
            return f" The ids {pair[0]} and {pair[1]} may mean the same {what}."
    return ""


def _plain(text: str) -> str:
    """Return a text in one case and Unicode form, without blanks, zeros in front and a last .0."""
    plain = unicodedata.normalize("NFKC", text).strip().removesuffix(".0")
    return plain.lstrip("0").casefold()


def are_chosen(joined: _HasQueries, queries: str) -> NDArray[np.bool_]:
    """Return which queries are scored."""
    chosen = {"judged": joined.is_judged, "both": joined.is_judged & joined.is_predicted}
    return chosen.get(queries, np.ones(joined.queries.size, dtype=bool))


# --- the description in words -------------------------------------------------------------------


_MOST_LABELS_SHOWN = 8
"""So many different labels are shown one by one."""


class Description(NamedTuple):
    """What is in judgments and predictions."""

    title: str
    rows: list[tuple[str, str]]
    """Pairs of a name and of what it names."""
    notes: list[str]

    def __str__(self) -> str:
        table = as_text(self.rows[0], self.rows[1:], n_names=2)
        return "\n".join([visible(self.title), table, *map(visible, self.notes)])

    def in_html(self) -> str:
        """Return the same as a table in HTML."""
        rows = "".join(
            f"<tr><th>{in_html(name)}</th><td>{in_html(text)}</td></tr>"
            for name, text in self.rows
        )
        notes = "".join(f"<p>{in_html(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>{in_html(self.title)}</caption><tbody>{rows}</tbody></table>{notes}"
        )


def described(data: RankingData, came_from: str) -> Description:
    """Return what is in data that came from somewhere, all of which is read."""
    columns, seen, aspects = data.places.in_columns(), data.queries_seen, data.aspects
    judged, predicted = as_csr(columns.y_true), as_csr(columns.y_score)
    n_judged = np.diff(judged.indptr)
    is_item = predicted.indices < columns.order.n_items  # others only fill ranks
    query = np.repeat(np.arange(predicted.shape[0]), np.diff(predicted.indptr))
    n_predicted = np.bincount(query[is_item], minlength=predicted.shape[0])
    n_tied = 0
    if is_item.any():
        groups = groups_of_lengths(n_predicted)
        n_tied = int(np.count_nonzero(have_ties(predicted.data[is_item], groups)))
    counts = [int(np.count_nonzero(n)) for n in (n_judged, n_predicted, n_judged * n_predicted)]
    if seen is not None:  # It knows all queries.
        counts = [seen.judged.count, seen.predicted.count, seen.n_both]
    labels, aspect_rows = judged.data, []
    if aspects is not None:
        *_, labels = judgments_of_aspects(
            aspects, np.repeat(np.arange(n_judged.size), n_judged), labels
        )
        aspect_rows = [("aspects", _per_query(aspects.n_named()))]
    rows = [
        ("queries", "{:,} judged, {:,} predicted, {:,} both".format(*counts)),
        *aspect_rows,
        ("judged items", _per_query(n_judged)),
        ("predicted items", _per_query(n_predicted)),
        ("judged among these", _share(judged, predicted, int(n_predicted.sum()))),
        ("labels", _labels(labels)),
        ("ties", f"in {n_tied:,} of {n_predicted.size:,} queries" if n_tied else "none"),
    ]
    query_lines = [] if seen is None else seen.lines()
    return Description(f"RankingData from {came_from}", rows, [*data.notes, *query_lines])


def _per_query(n_items: Positions) -> str:
    """Return the number of items, in all and per query, in words."""
    if not n_items.size:
        return "0"
    least, most = n_items.min(), n_items.max()
    others = f" to {most:,}, median {np.median(n_items):,.10g}" if least < most else ""
    return f"{n_items.sum():,}; per query {least:,}{others}"


def _share(judged: csr_array, predicted: csr_array, n_predicted: int) -> str:
    """Return the share of the predicted items that were judged, in words."""
    if not n_predicted:
        return "none was predicted"
    one, other = (
        as_csr((np.ones(cells.nnz), cells.indices, cells.indptr), shape=cells.shape)
        for cells in (judged, predicted)
    )
    return f"{100 * one.multiply(other).nnz / n_predicted:.1f} %"


def _labels(labels: NDArray[Any]) -> str:
    """Return the labels and how often each occurs, in words."""
    labels = labels + 0  # The sum turns -0 and False into 0.
    unique, count = np.unique(labels, return_counts=True)
    if unique.size > _MOST_LABELS_SHOWN:
        return f"{unique.size:,} different ones from {_label(unique[0])} to {_label(unique[-1])}"
    pairs = zip(map(_label, unique), count.tolist(), strict=True)
    times = (f"{label} ({'once' if n == 1 else f'{n:,} times'})" for label, n in pairs)
    return ", ".join(times) or "none"


def _label(label: Any) -> str:
    """Return a label as text, which no other label has."""
    is_whole = abs(float(label)) < 2**53 and label % 1 == 0
    return f"{label:,.0f}" if is_whole else str(label)


# --- the data -----------------------------------------------------------------------------------


class CallArrays(NamedTuple):
    """The arrays of a call that may come as `RankingData`."""

    y_true: Any
    y_score: Any
    query_ids: Any
    order: ItemOrder | None


class JudgedItems(NamedTuple):
    """The judged items of all queries, each once."""

    query: Positions
    """The number of the query of each item."""
    item: NDArray[np.integer[Any]]
    """The index of each item among the ids."""
    item_ids: NDArray[Any] | PackedText
    labels: NDArray[Any]
    aspect: NDArray[Any] | None = None
    """The name of the aspect of each item, which is there once for each of them; None: queries
    have no aspects."""


def count_own(query: Positions, item: Positions, item_ids: Any, query_ids: NDArray[Any]) -> int:
    """Return how many queries have an item with their own id, of items whose ids differ."""
    items, queries = (np.asarray(ids).astype(object) for ids in (item_ids, query_ids))
    is_item = item < items.size  # others fill ranks
    return int(np.count_nonzero(items[item[is_item]] == queries[query[is_item]]))


class ReadItems(NamedTuple):
    """The items that count if only the first ranks do."""

    depth: int
    """The last of these ranks."""
    first: FirstItems
    judged: JudgedItems
    n_own: int = 0
    """The number of queries that are among their own items."""


_NO_Y_TRUE = (
    "RankingData over aspects has no y_true, since an item has a label for each aspect. Pass the "
    "data itself to scores and to `ranking_report`."
)


class DataSource(Protocol):
    """Where judgments and predictions come from, as a caller has them."""

    @property
    def came_from(self) -> str:
        """The form in which a caller has them."""

    def read(self, depth: int) -> ReadItems | None:
        """Return the items that count if only the ranks up to `depth` do; None: read arrays."""

    def in_arrays(self) -> RankingData:
        """Return all judgments and predictions as arrays."""


class RankingData(DataByIds):
    """Judgments and predictions that were joined by the ids of queries and items.

    Scores and the functions that take `y_true` and `y_score` take it in place of both. They read
    it as deep as they need. ``print(data)`` reads all of it, and shows what is in it.

    It is also a tuple of four arrays in the retrieved layout, which are made when they are first
    used: ``y_true, y_score, query_ids, item_ids = data``. Both matrices have one row per query and
    one column per item. With ``aspects=True`` an item has a label for each aspect of its query, so
    there is no `y_true`, and the data is no tuple.

    Parameters
    ----------
    y_true, y_score, query_ids, item_ids : arrays
        The four arrays.

    Attributes
    ----------
    y_true : scipy.sparse.csr_array of shape (n_queries, n_items)
        The grades of the items that were judged, including stored zeros.

    y_score : scipy.sparse.csr_array of shape (n_queries, n_items)
        The scores of the items that were predicted, including stored zeros.

    query_ids : ndarray of shape (n_queries,)
        The query of each row, sorted by value.

    item_ids : ndarray of shape (n_items,)
        The item of each column, sorted by value. If there are columns that only fill gaps between
        ranks, they come last, their id is None, and the array has dtype object.

    queries_seen : QueriesSeen or None
        The number of queries that were judged, predicted or both, and the first ids of those that
        were only one of them. Printed, it says which queries are left out or count 0. It is None
        if the data was not made by a function of this package.

    notes : tuple of str
        What was taken for what, and what was skipped, when the data was read: the columns of
        tables, and lines of files that do not count.

    by_judge : dict of object to RankingData, or None
        The data by the labels of each judge alone, on the queries that it has judged. None without
        `judge`. `ranking_scores.agreement.judge_agreement` takes the whole.

    prediction_order : ndarray of shape (y_score.nnz,) or None
        The order in which the predictions came: a whole number for each value of `y_score.data`.
        The numbers of a query grow from its first prediction to its last, and then through the
        items that fill gaps between ranks. With ``duplicates="best"``, an item has the number of
        the first of its predictions. It is None if the predictions of each query came in the
        order of the columns, or if the data was not made by a function of this package.
    """

    _fields: ClassVar[tuple[str, ...]] = ("y_true", "y_score", "query_ids", "item_ids")

    by_judge: dict[Any, RankingData] | None = None

    def __init__(self, y_true: Any, y_score: Any, query_ids: Any, item_ids: Any) -> None:
        self.query_ids = query_ids
        self.queries_seen: QueriesSeen | None = None
        self.notes: tuple[str, ...] = ()
        self._columns: RetrievedColumns | None = RetrievedColumns(
            y_true, y_score, ItemOrder(item_ids, None, None, query_ids)
        )
        self._is_listed: NDArray[np.bool_] | None = None
        self._has_query_ids = True
        self._source: DataSource | None = None
        self._read: ReadItems | None = None
        self._places: RankingData | None = None
        self._judged: JudgedItems | None = None

    @classmethod
    def from_source(
        cls,
        source: DataSource,
        query_ids: NDArray[Any],
        seen: QueriesSeen,
        is_listed: NDArray[np.bool_],
        *,
        notes: tuple[str, ...] = (),
        has_query_ids: bool = True,
        judged: JudgedItems | None = None,
    ) -> Self:
        """Return data that is read when a score asks.

        `is_listed` says which queries have a list of predictions, even an empty one. Without
        `has_query_ids`, the ids are the places of lists. `judged` are the judged items, if the
        labels depend on the predictions, too. None: they are the items with a label.
        """
        data = cls(None, None, query_ids, None)
        data._columns, data._source, data.queries_seen, data.notes = None, source, seen, notes
        data._is_listed, data._has_query_ids, data._judged = is_listed, has_query_ids, judged
        return data

    @property
    def y_true(self) -> csr_array:
        """The grades of the items that were judged."""
        return self.in_columns().y_true

    @property
    def y_score(self) -> csr_array:
        """The scores of the items that were predicted."""
        return self.places.in_columns().y_score

    @property
    def item_ids(self) -> NDArray[Any]:
        """The item of each column."""
        return self.places.in_columns().order.item_ids

    @property
    def prediction_order(self) -> NDArray[np.integer[Any]] | None:
        """The order in which the predictions came."""
        return self.places.in_columns().order.row

    def __repr__(self) -> str:
        return str(self._described())

    def _repr_html_(self) -> str:
        return self._described().in_html()

    def _described(self) -> Description:
        return described(self, "arrays" if self._source is None else self._source.came_from)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.y_true, self.y_score, self.query_ids, self.item_ids))

    def __len__(self) -> int:
        return len(self._fields)

    def __getitem__(self, key: Any) -> Any:
        return tuple(self)[key]

    def first_items(self, depth: int) -> FirstItems | None:
        """Return the items that count if only the ranks up to `depth` do; None: read arrays."""
        read = self._read_to(depth)
        return None if read is None else read.first

    def judged_items(self) -> JudgedItems:
        """Return the judged items, with their ids and labels, once for each aspect."""
        if self.aspects is not None:
            judged = self.places.judged_items()
            row, aspect, labels = judgments_of_aspects(self.aspects, judged.query, judged.labels)
            query, item = judged.query[row], judged.item[row]
            names, weight = self.aspects.names, self.aspects.weight
            named = names if weight is None else zip(names, weight.tolist(), strict=True)
            return JudgedItems(query, item, judged.item_ids, labels, as_objects(named)[aspect])
        if self._judged is not None:
            return self._judged
        read = self._read_to(1)
        if read is not None:
            return read.judged
        return self._items_of(self.y_true)

    def _items_of(self, matrix: csr_array) -> JudgedItems:
        """Return the items that a matrix stores."""
        numbers = as_csr(matrix)
        query = np.repeat(np.arange(numbers.shape[0]), np.diff(numbers.indptr))
        return JudgedItems(query, numbers.indices, self.item_ids, numbers.data)

    def n_own(self) -> int:
        """Return the number of queries that are among their own items, of those that were read."""
        if self._read is not None:
            return self._read.n_own
        found: Any = self.places._items_of(self.y_score)
        return count_own(found.query, found.item, found.item_ids, self.query_ids)

    def digest_of_run(self) -> str | None:
        """Return the digest of the predictions of all queries, whatever their order."""
        return judgments_with_digest(self._items_of(self.y_score), self.query_ids)[0].digest

    def _digest(self) -> str | None:
        """Return the digest of the judgments of all queries."""
        return judgments_with_digest(self.judged_items(), self.query_ids)[0].digest

    def _refuse_aspects(self, parameter: str, function: str) -> None:
        """Raise if queries have aspects, in a function that takes no account of them."""
        refuse_aspects(self, parameter, function)

    def _query_values(self, names: Any, parameter: str, function: str) -> NoReturn:
        """Raise the error about data whose scores nobody chose."""
        advice = "Pass the report of `ranking_report`, whose scores you choose."
        raise invalid(parameter, function, "one score per query", "RankingData", advice)

    def _read_to(self, depth: int) -> ReadItems | None:
        """Return what was read, if it was read deep enough, or read it; None: read arrays."""
        if self._read is not None and self._read.depth >= depth:
            return self._read
        if self._columns is not None or self._source is None:  # the arrays are there
            return None
        read = self._source.read(depth)
        self._read = read or self._read
        return read

    def in_columns(self) -> RetrievedColumns:
        """Return labels and scores as arrays, with the ids of their columns."""
        if self.aspects is not None:  # Arrays would not tell them.
            raise AttributeError(_NO_Y_TRUE)
        if self._columns is None and self._source is not None:
            y_true, y_score, order = self._source.in_arrays().in_columns()
            query_ids = self.query_ids if self._has_query_ids else None
            order = order._replace(query_ids=query_ids, is_listed=self._is_listed)
            self._columns = RetrievedColumns(y_true, y_score, order)
        assert self._columns is not None
        return self._columns

    @property
    def places(self) -> RankingData:
        """The data whose labels are places in `aspects`, or this data if queries have none."""
        return self if self._places is None else self._places

    def in_rows_of_aspects(self, aspects: Aspects, numbers: Positions) -> CallArrays:
        """Return arrays with a row for each aspect of some queries, whose ids are (query, aspect).

        Labels that nobody gave are not stored.
        """
        columns = self.places.in_columns()
        n_aspects = aspects.n_aspects[numbers]
        aspect, row = spread(aspects.first[numbers], n_aspects), np.repeat(numbers, n_aspects)
        places = as_csr(columns.y_true)[numbers]
        query = np.repeat(numbers, np.diff(places.indptr))
        item, judging, labels = judgments_of_aspects(aspects, query, places.data)
        row_of = np.empty(len(aspects.names), np.intp)
        row_of[aspect] = np.arange(aspect.size)
        at = row_of[judging], places.indices[item]
        names = map(aspects.names.__getitem__, aspect.tolist())
        ids = zip(self.query_ids[row].tolist(), names, strict=True)
        y_true = as_csr((labels, at), shape=(row.size, places.shape[1]))
        return CallArrays(y_true, as_csr(columns.y_score)[row], as_objects([*ids]), None)

    def over_aspects(self, aspects: Aspects) -> RankingData:
        """Return data over aspects of the queries, in which the labels of this one are places."""
        data = copy(self)
        data.aspects, data._places = aspects, self
        return data

    def with_order(
        self, row: NDArray[np.integer[Any]] | None, repeats: NDArray[np.integer[Any]] | None
    ) -> Self:
        """Return the same arrays with the order of the predictions, as in `ItemOrder`."""
        y_true, y_score, order = self.in_columns()
        new = self._replace()
        new._columns = RetrievedColumns(y_true, y_score, order._replace(row=row, repeats=repeats))
        return new

    def with_labels(self, y_true: csr_array) -> Self:
        """Return the same data with other labels of the judged items."""
        new = self._replace()
        new._columns = self.in_columns()._replace(y_true=y_true)
        new.queries_seen, new.notes = self.queries_seen, self.notes
        return new

    def _replace(self, **arrays: Any) -> Self:
        """Return new data with other arrays in place of some, as that of a named tuple does."""
        new = type(self)(**dict(zip(self._fields, self, strict=True)) | arrays)
        if self.in_columns().order.query_ids is None and "query_ids" not in arrays:
            y_true, y_score, order = new.in_columns()
            new._columns = RetrievedColumns(y_true, y_score, order._replace(query_ids=None))
        return new


def arrays_of(y_true: Any, y_score: Any, query_ids: Any, function: str) -> CallArrays:
    """Return labels, scores and ids of queries, which may have come together as `RankingData`.

    Ids that the caller gives beside `RankingData` replace its own. Raise if queries have aspects.
    """
    refuse_aspects(y_true, "y_true", function)
    if isinstance(y_true, RankingData):
        if y_score is not None:
            raise two_scores(y_score, function)
        ids = y_true.query_ids if query_ids is None else query_ids
        columns = y_true.in_columns()
        return CallArrays(columns.y_true, columns.y_score, ids, columns.order)
    if y_score is None:
        raise no_scores(y_true, function)
    return CallArrays(y_true, y_score, query_ids, None)


# --- judgments ----------------------------------------------------------------------------------

Hashes = NDArray[np.uint64]

_FACTOR = np.uint64(0xD6E8FEB86659FD93)
"""An odd number with bits in no order: a product with it mixes all bits into the higher ones."""
_HALF = np.uint64(32)


@with_types
class Judgments(NamedTuple):
    """The number of judged items of some data, and a digest of their ids and labels."""

    n_items: int
    """The number of items with a label, of all queries."""
    digest: str | None
    """A hash of the ids of queries and items and of the labels, whatever their order. None: the
    items have no ids."""


def judgments_with_digest(judged: JudgedItems, ids: NDArray[Any]) -> tuple[Judgments, Hashes]:
    """Return the number of judged items and their digest, and that of each of the queries `ids`.

    The digest is the sum over all labels of a hash of the label, of its item and of its query: the
    product of three hashes modulo 2^64, or of four if there are aspects. So it is the sum of those
    of the queries.
    """
    label_hash = _mix(judged.labels.astype(np.float64).view(np.uint64) + np.uint64(1))
    items, item = np.unique(judged.item, return_inverse=True)  # others have no label
    item_hash = _hash_ids(np.asarray(judged.item_ids[items]))[item]
    hashes = label_hash * item_hash * _hash_ids(ids)[judged.query]
    if judged.aspect is not None:
        hashes *= _hash_ids(judged.aspect)
    of_query = np.zeros(len(ids), np.uint64)
    np.add.at(of_query, judged.query, hashes)
    digest = f"{int(of_query.sum(dtype=np.uint64)):016x}"
    return Judgments(judged.labels.size, digest), of_query


def _mix(values: Hashes) -> Hashes:
    """Return numbers of which each bit depends on all bits of the given ones."""
    values = (values ^ (values >> _HALF)) * _FACTOR
    return np.asarray(values ^ (values >> _HALF))


def _hash_ids(ids: NDArray[Any]) -> Hashes:
    """Return a hash of each id, which depends neither on the process nor on the dtype."""
    if ids.dtype.kind in "iub":
        numbers = ids.astype(np.int64, copy=False).view(np.uint64)
    else:
        objects = (ids.astype(str) if ids.dtype.kind in "mM" else ids).tolist()
        try:
            hashes = map(crc32, map(str.encode, objects))
            numbers = np.fromiter(hashes, np.uint64, len(objects))
        except (TypeError, UnicodeEncodeError):
            numbers = np.fromiter(map(_hash_id, objects), np.uint64, len(objects))
    return _mix(_mix(numbers)) | np.uint64(1)  # an even factor would lose a bit


def _hash_id(value: Any) -> int:
    """Return a number for an id that stands among objects of several types."""
    if type(value) in (int, bool):
        return int(value) % 2**64
    text = value if isinstance(value, str) else repr(value)
    return crc32(text.encode(errors="surrogatepass"))
