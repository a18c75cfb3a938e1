"""The result of `changes`: the items and the lists that changed, and how it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base._by_id import match_ids
from ranking_scores._base._errors import invalid, list_some, show_some, visible
from ranking_scores._base._ids import python_ids
from ranking_scores._base._results import (
    ResultTable,
    TabularResult,
    as_code,
    count_queries,
    in_html,
    pandas_for,
    ranks_as_text,
    with_types,
)
from ranking_scores._base._sorting import possible_ranks
from ranking_scores._base._validation import describe
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.significance._readers import RankingData, RankingReport, read_list_agreements

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


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
    before: tuple[int, int] | None
    now: tuple[int, int] | None


class RelevanceRule(NamedTuple):
    """Which items are relevant for a score, and how many of the first ranks it reads."""

    k: int | None
    """None: all ranks."""
    threshold: float | None
    """The least label of a relevant item. None: any label above 0 is."""


class ChangedRankings:
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
        self._ranges: dict[int, Mapping[Any, tuple[int, int]]] = {}

    def scores(self) -> tuple[csr_array, NDArray[Any]]:
        """Return the scores of the retrieved items of these queries, and the ids of the columns.

        Columns without an id, which only fill ranks, come last.
        """
        return self._y_score[self._rows], self._data.item_ids

    def check_values(
        self, queries: Ints, name: str, score: Callable[..., Any] | None, values: Floats
    ) -> None:
        """Raise if a query has another value than in the report, which is then of other data.

        Nothing is checked if an option is a function, or if the score refuses retrieved items.
        """
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

    def ranges(self, query: int) -> Mapping[Any, tuple[int, int]]:
        """Return the first and the last possible rank of each retrieved item of a query."""
        if query not in self._ranges:
            columns, scores = _row_of(self._y_score, self._rows[query])
            first, last = possible_ranks(scores)
            ranges = zip(first.tolist(), last.tolist(), strict=True)
            items = python_ids(self._data.item_ids[columns])
            self._ranges[query] = dict(zip(items, ranges, strict=True))
        return self._ranges[query]


Items = tuple[MovedItem, ...]


class BothRankings(NamedTuple):
    """The old and the new rankings of the same queries, or only the new ones."""

    old: ChangedRankings | None
    new: ChangedRankings

    def moved(
        self, query: int, relevance: RelevanceRule
    ) -> tuple[Items | None, Items | None, Items]:
        """Return the items of a query that left the first ranks, came in, or are not there.

        They are sorted by the rank that they left, or that they have. None: not known without the
        old data.
        """
        now = self.new.ranges(query)
        before = {} if self.old is None else self.old.ranges(query)
        missed = [
            MovedItem(item, before.get(item), now.get(item))
            for item in self.new.relevant(query, relevance.threshold)
            if not _is_first(now.get(item), relevance.k)
        ]
        missed.sort(key=lambda item: item.now or (np.inf, np.inf))
        if self.old is None:
            return None, None, tuple(missed)
        relevant = dict.fromkeys(
            item
            for side in (self.old, self.new)
            for item in side.relevant(query, relevance.threshold)
        )
        return *left_and_came_in(relevant, before, now, relevance.k), tuple(missed)


def left_and_came_in(
    items: Iterable[Any],
    before: Mapping[Any, tuple[int, int]],
    now: Mapping[Any, tuple[int, int]],
    k: int | None,
) -> tuple[Items, Items]:
    """Return those of some items that left the first k ranks, and those that came in.

    They are sorted by the rank that they left, or that they have. If k is None, all ranks count.
    """
    moved = [MovedItem(item, before.get(item), now.get(item)) for item in items]
    was_first, is_first = (
        [_is_first(getattr(item, name), k) for item in moved] for name in ("before", "now")
    )
    places = range(len(moved))
    left = [moved[place] for place in places if was_first[place] and not is_first[place]]
    came_in = [moved[place] for place in places if is_first[place] and not was_first[place]]
    left.sort(key=lambda item: item.before or (0, 0))
    came_in.sort(key=lambda item: item.now or (0, 0))
    return tuple(left), tuple(came_in)


def read_rankings(
    data: Mapping[str, tuple[Any, RankingReport]], ids: NDArray[Any] | None, function: str
) -> BothRankings | None:
    """Return the rankings of the old and the new data, or of the new data; None without data.

    `data` has what was passed by its parameter, with the report on it, first the old one, and
    `ids` are those of the queries. Raise if only the old one is data, or if data are not those of
    their report.
    """
    found: dict[str, ChangedRankings] = {}
    for name, (given, report) in data.items():
        if given is None:
            continue
        if not isinstance(given, RankingData):
            raise invalid(name, function, "RankingData or None", describe(given))
        if ids is None:
            expected = "left out, since a report has no ids, or no values of queries"
            raise invalid(name, function, expected, "RankingData")
        given._refuse_aspects(name, function)
        found[name] = ChangedRankings(given, ids, name, function)
        digest = getattr(report.judgments, "digest", None)
        if digest is not None and digest != given._digest():
            expected = "the data of the report, with its judgments"
            raise invalid(name, function, expected, "data with others")
    if found and "data_new" not in found:
        raise invalid("data_new", function, "given if `data_old` is", "None")
    return BothRankings(found.get("data_old"), found["data_new"]) if found else None


def _row_of(matrix: csr_array, row: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the columns and the values that a row stores."""
    stored = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[stored], matrix.data[stored]


def _is_first(ranks: tuple[int, int] | None, k: int | None) -> bool:
    """Return whether an item is among the first k, or retrieved if k is None."""
    return ranks is not None and (k is None or ranks[0] <= k)


@with_types
class ListChange(NamedTuple):
    """How far the lists of two rankings agree, and what that did to a score.

    Attributes
    ----------
    measure : str
        The measure of agreement: "overlap@k" with the cutoff k of the score, or "rbo@0.9" if it
        has none.

    agreement : float
        The mean of the measure over the queries.

    n_changed : int
        The number of queries that have the score in both reports and whose first k items, or
        their order, changed.

    n_same : int
        The number of these queries whose score is the same.
    """

    measure: str
    agreement: float
    n_changed: int
    n_same: int


def changed_lists(
    rankings: BothRankings, differences: Mapping[str, tuple[int | None, Floats]]
) -> dict[str, ListChange]:
    """Return what changed in the lists, by score.

    `differences` has the cutoff of each score, and its difference on each query, NaN if it is
    undefined.
    """
    assert rankings.old is not None
    cutoffs = [k for k, _ in differences.values()]
    found = read_list_agreements(rankings.old.scores(), rankings.new.scores(), cutoffs)
    changes = {}
    for name, (k, difference) in differences.items():
        is_counted = found[k].are_changed & ~np.isnan(difference)
        n_same = int(np.count_nonzero(difference[is_counted] == 0))
        n_changed = int(is_counted.sum())
        changes[name] = ListChange(found[k].measure, found[k].mean, n_changed, n_same)
    return changes


def describe_lists(changes: Mapping[str, ListChange]) -> list[str]:
    """Return a line for each measure: the mean, and how many changed lists changed no score."""
    changes_by_measure: dict[str, dict[str, ListChange]] = {}
    for name, change in changes.items():
        changes_by_measure.setdefault(change.measure, {})[name] = change
    lines = []
    for measure, changes_by_score in changes_by_measure.items():
        _, at, k = measure.partition("overlap@")
        items = f"first {k}" if at else "lists"
        first, *_ = changes_by_score.values()
        parts = [f"{measure} of the two rankings: {first.agreement:.2f} on average"]
        n_before = None
        for name, change in changes_by_score.items():
            have = f"{'has' if change.n_same == 1 else 'have'} the same {name}"
            if change.n_changed != n_before:
                which = f"of {count_queries(change.n_changed)} whose {items} changed"
                parts.append(f"{which}, {change.n_same} {have}")
            else:
                parts[-1] += f", and {change.n_same} {have}"
            n_before = change.n_changed
        lines.append("; ".join(parts))
    return lines


VERDICTS = ("better", "worse", "no clear change", "unchanged", "not tested")
_NUMBERS = ("before", "now", "difference", "low", "high", "pvalue", "wins", "draws", "losses")
_KEYS_OF_GROUPS = ("before", "now", "difference", "pvalue", "wins", "draws", "losses")
"""The numbers of groups that are printed, so that there is space for their names."""
_KEYS_OF_MEANS = ("before", "now", "difference")
_WIDTH = 96
"""The greatest width of a line of text below the tables."""
_LONGEST = 27
"""The greatest length of an id or of the name of a group in text."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ScoreChange(TabularResult):
    """The change of the mean of a score, over all queries or those of a group.

    The numbers are those of `ranking_scores.significance.compare_all` on the same two reports.

    Attributes
    ----------
    score : str
        The name of the score.

    before : float
        The mean in the old report, over the queries that have the score in both reports.

    now : float
        The same mean in the new report.

    difference : float
        `now` minus `before`.

    low : float
        The lower limit of the confidence interval of the difference.

    high : float
        The upper limit of this interval.

    pvalue : float
        The p-value. In a group it is corrected by Holm's method for the number of groups.

    pvalue_uncorrected : float
        The p-value without a correction.

    wins : int or None
        The number of queries whose score got better. It is lower if lower is better.

    draws : int or None
        The number of queries whose score is the same.

    losses : int or None
        The number of queries whose score got worse.

    n_queries : int
        The number of queries that were compared.

    n_dropped : int or None
        The number of queries that were left out, since the score is undefined in one of the
        reports, or the weight is 0.

    test : str or None
        The test that was taken, such as "t".

    verdict : str
        "better", "worse", "no clear change", "unchanged" or "not tested".

    reason : str
        What the verdict rests on.
    """

    score: str
    before: float
    now: float
    difference: float
    low: float
    high: float
    pvalue: float
    pvalue_uncorrected: float
    wins: int | None
    draws: int | None
    losses: int | None
    n_queries: int
    n_dropped: int | None
    test: str | None
    verdict: str
    reason: str

    def _table(self) -> ResultTable:
        keys = _NUMBERS if _are_tested([self]) else _KEYS_OF_MEANS
        notes = [f"{self.verdict}: {self.reason}"]
        return ResultTable(_columns([self], keys), {"": [self.score]}, notes)


@with_types
class QueryChange(NamedTuple):
    """The change of the score of a query.

    Attributes
    ----------
    query : object
        The id of the query, or its position if the queries have no ids.

    groups : dict of str to object
        The group of the query in each grouping.

    before : float
        The score in the old report.

    now : float
        The score in the new report.

    difference : float
        `now` minus `before`.

    left : tuple of MovedItem, or None
        The relevant items that left the first k, or are no longer retrieved if the score has no k.
        None without the data of both reports.

    came_in : tuple of MovedItem, or None
        The relevant items that came into the first k, or are newly retrieved if the score has no
        k. None without the data of both reports.

    missed : tuple of MovedItem, or None
        The relevant items that are not among the first k now, or are not retrieved if the score
        has no k. None without the data of the new report.
    """

    query: Any
    groups: Mapping[str, Any]
    before: float
    now: float
    difference: float
    left: tuple[MovedItem, ...] | None
    came_in: tuple[MovedItem, ...] | None
    missed: tuple[MovedItem, ...] | None


class ResultForm(NamedTuple):
    """How the parts of the result are written."""

    is_text: bool
    is_markdown: bool

    def name(self, name: Any) -> str:
        """Return a name as a part of a title."""
        return as_code(_on_line(name)) if self.is_markdown else self.cell(name)

    def cell(self, name: Any) -> str:
        """Return a name for a cell of a table."""
        name = _on_line(name)
        return f"{name[: _LONGEST - 3]}..." if self.is_text and len(name) > _LONGEST else name


TEXT, HTML, MARKDOWN = ResultForm(True, False), ResultForm(False, False), ResultForm(False, True)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Changes(TabularResult):
    """The result of `changes`: what is different between two reports.

    Two such results are equal if all their values are. NaN equals NaN.

    Attributes
    ----------
    scores : dict of str to ScoreChange
        The change of each score, over all queries.

    by_group : dict of str to dict of object to dict of str to ScoreChange
        For each grouping and each of its groups, the change of each score over the queries of the
        group. Empty without groups.

    lost : dict of str to tuple of QueryChange
        For each score the queries that got worse, the worst of them first. Empty if a report has
        no values of queries.

    won : dict of str to tuple of QueryChange
        For each score the queries that got better, the best of them first. Empty if a report has
        no values of queries.

    lists : dict of str to ListChange
        For each score, how far the lists of the two rankings agree, and how many of those that
        changed have the same score. Empty without the data of both reports.

    only_old : ndarray
        The ids of the queries that were left out, since only the old report has them.

    only_new : ndarray
        The ids of the queries that were left out, since only the new report has them.

    scores_only_old : tuple of str
        The scores that were left out, since only the old report has them.

    scores_only_new : tuple of str
        The scores that were left out, since only the new report has them.

    judgments_changed : bool or None
        Whether the compared queries were judged differently. None if the reports do not tell.

    confidence_level : float
        The confidence level of the intervals.

    notes : tuple of str
        What was compared, how it was tested, and what was left out.
    """

    scores: dict[str, ScoreChange]
    by_group: dict[str, dict[Any, dict[str, ScoreChange]]]
    lost: dict[str, tuple[QueryChange, ...]]
    won: dict[str, tuple[QueryChange, ...]]
    lists: dict[str, ListChange]
    only_old: NDArray[Any]
    only_new: NDArray[Any]
    scores_only_old: tuple[str, ...]
    scores_only_new: tuple[str, ...]
    judgments_changed: bool | None
    confidence_level: float
    notes: tuple[str, ...]
    _cutoffs: dict[str, int | None]

    def to_frame(self) -> Any:
        """Return the changes of the scores as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per score, with the attributes of its `ScoreChange`. With groups, each group
            has rows of its own, and the index has three levels: the grouping, the group and the
            name of the score. The first two are empty in the rows of all queries together.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("Changes.to_frame")
        rows = {("", "", name): row for name, row in self.scores.items()}
        rows |= {
            (grouping, group, name): row
            for grouping, group, name, row in self._changes_of_groups()
        }
        keys = [field.name for field in fields(ScoreChange) if field.name != "score"]
        frame = pandas.DataFrame(_columns(rows.values(), tuple(keys)))
        index = pandas.MultiIndex.from_tuples(rows, names=["grouping", "group", "score"])
        frame.index = index if self.by_group else index.get_level_values("score")
        return frame

    def queries_frame(self) -> Any:
        """Return the queries that lost and won most as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per score and query of `lost` and `won`, with the columns `score`, `side`
            ("lost" or "won"), `query`, `before`, `now`, `difference`, `left`, `came_in` and
            `missed`. Then
            one column per grouping with the group of the query.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rows = [
            ((name, side), query)
            for side, queries_by_score in (("lost", self.lost), ("won", self.won))
            for name, queries in queries_by_score.items()
            for query in queries
        ]
        names = ("score", "side")
        return frame_of_queries(rows, names, QueryChange, self.by_group, "Changes.queries_frame")

    def to_markdown(self) -> str:
        """Return the result in the Markdown of GitHub, such as for a comment of a pull request.

        Returns
        -------
        text : str
            The tables, with the names of scores, groups, queries and items as code, and the notes.
        """
        parts = [titled(*part, MARKDOWN) for part in self._tables(MARKDOWN)]
        return "\n\n".join([*parts, "\n".join(["```text", *self._lines(), "```"])])

    def __repr__(self) -> str:
        lines = []
        for verdict in VERDICTS:
            names = [_on_line(name) for name, row in self.scores.items() if row.verdict == verdict]
            lines += wrap(f"{verdict}: {', '.join(names)}", _WIDTH) if names else []
        tables = [titled(*part, TEXT) for part in self._tables(TEXT)]
        return "\n\n".join(["\n".join(lines), *tables, "\n".join(self._lines())])

    def _repr_html_(self) -> str:
        parts = [titled(*part, HTML) for part in self._tables(HTML)]
        return "\n".join([*parts, *(f"<p>{in_html(note)}</p>" for note in self.notes)])

    def _tables(self, form: ResultForm) -> Iterator[tuple[str, ResultTable]]:
        """Yield the tables with their titles. That of all queries comes first, without a title."""
        yield "", self._table(form)
        for grouping in self.by_group:
            yield f"by {form.name(grouping)}", self._table_of_groups(grouping, form)
        first = next(iter(self.scores))
        for side, queries_by_score in (("lost", self.lost), ("won", self.won)):
            queries = queries_by_score.get(first, ())
            if not queries:
                continue
            columns = _columns(queries, _KEYS_OF_MEANS)
            table = ResultTable(columns, names_of_queries(queries, form), [])
            yield f"{side} most in {form.name(first)}", table
            k = self._cutoffs[first]
            where = "the retrieved items" if k is None else f"the first {k}"
            moved = list(moves_of(queries))
            if moved:
                title = f"relevant items of these queries that left {where} or came in"
                yield title, table_of_moves(moved, form)
            missed = [(query.query, "", item) for query in queries for item in query.missed or ()]
            if side == "lost" and missed and queries[0].left is None:
                title = f"relevant items of these queries that are not among {where}"
                table = table_of_moves(missed, form)
                yield title, table._replace(words={"rank now": table.words["rank now"]})

    def _table(self, form: ResultForm = TEXT) -> ResultTable:
        """Return the table of all queries."""
        rows = list(self.scores.values())
        names = {"": [form.cell(name) for name in self.scores]}
        keys = _NUMBERS if _are_tested(rows) else _KEYS_OF_MEANS
        return ResultTable(_columns(rows, keys), names, [], words=_verdicts_of(rows, form))

    def _table_of_groups(self, grouping: str, form: ResultForm) -> ResultTable:
        """Return the table of the groups of a grouping."""
        found = [change for change in self._changes_of_groups() if change[0] == grouping]
        rows = [row for *_, row in found]
        names = {
            "": [form.cell(name) for *_, name, _ in found],
            "group": [form.cell(group) for _, group, *_ in found],
        }
        keys = _KEYS_OF_GROUPS if _are_tested(rows) else _KEYS_OF_MEANS
        columns, words = _columns(rows, keys), _verdicts_of(rows, form)
        if not (form.is_text and _are_tested(rows)):
            return ResultTable(columns, names, [], words=words)
        which: dict[str, list[str]] = {}
        for _, group, name, row in found:
            which.setdefault(row.verdict, []).append(f"{form.cell(name)} of {form.cell(group)}")
        notes = [
            line
            for verdict in VERDICTS[:2]
            if verdict in which
            for line in wrap(f"* {verdict}: {list_some(which[verdict])}", _WIDTH)
        ]
        is_clear = [row.verdict in VERDICTS[:2] for row in rows]
        return ResultTable(columns, names, notes or ["no clear change in any group"], is_clear)

    def _changes_of_groups(self) -> Iterator[tuple[str, Any, str, ScoreChange]]:
        """Yield the changes in all groups, with the grouping, the group and the score."""
        for grouping, groups in self.by_group.items():
            for name in self.scores:
                for group, changes_by_score in groups.items():
                    yield grouping, group, name, changes_by_score[name]

    def _lines(self) -> list[str]:
        """Return the notes in lines of text."""
        return [line for note in self.notes for line in wrap(_on_line(note), _WIDTH)]


def titled(title: str, table: ResultTable, form: ResultForm) -> str:
    """Return a table below its title, which may be empty."""
    if form.is_markdown:
        return "\n\n".join([*[f"**{title}**"] * bool(title), table.as_markdown()])
    if form.is_text:
        return "\n".join([*[title] * bool(title), table.as_text().rstrip()])
    return "\n".join([*[f"<p><b>{in_html(title)}</b></p>"] * bool(title), table.as_html()])


def _on_line(name: Any) -> str:
    """Return a name on one line."""
    return visible(str(name))


def _are_tested(rows: list[ScoreChange]) -> bool:
    """Return whether there are numbers of queries, not only means."""
    return all(row.wins is not None for row in rows)


def _columns(rows: Any, keys: tuple[str, ...]) -> dict[str, list[Any]]:
    """Return some attributes of rows, by their names."""
    return {key: [getattr(row, key) for row in rows] for key in keys}


def _verdicts_of(rows: list[ScoreChange], form: ResultForm) -> dict[str, list[str]]:
    """Return the verdicts as a column of words, which is too wide for text."""
    return {} if form.is_text else {"verdict": [row.verdict for row in rows]}


# These functions take a `QueryChange` or a `QueryAgreement` of each query.


def names_of_queries(queries: Sequence[Any], form: ResultForm) -> dict[str, list[str]]:
    """Return the columns that name some queries and their groups."""
    names = {"": [form.cell(query.query) for query in queries]}
    for grouping in queries[0].groups:
        names[grouping] = [form.cell(query.groups[grouping]) for query in queries]
    return names


def frame_of_queries(
    rows: Iterable[tuple[tuple[str, ...], Any]],
    names: Sequence[str],
    kind: Any,
    groupings: Iterable[str],
    method: str,
) -> Any:
    """Return a frame of queries of a kind, below names, and last their groups."""
    pandas = pandas_for(method)
    fixed = [name for name in kind._fields if name != "groups"]
    cells = [
        (*first, *(getattr(query, key) for key in fixed), *query.groups.values())
        for first, query in rows
    ]
    columns = [*names, *fixed]
    columns += [f"{name} (group)" if name in columns else name for name in groupings]
    return pandas.DataFrame(cells, columns=columns)


def moves_of(queries: Iterable[Any]) -> Iterator[tuple[Any, str, MovedItem]]:
    """Yield the items that moved, with their query and with what they did."""
    for query in queries:
        yield from ((query.query, "left", item) for item in query.left or ())
        yield from ((query.query, "came in", item) for item in query.came_in or ())


def table_of_moves(moved: list[tuple[Any, str, MovedItem]], form: ResultForm) -> ResultTable:
    """Return the table of items that moved, or are not among the first ranks."""
    names = {
        "": [form.cell(query) for query, *_ in moved],
        "item": [form.cell(item.item) for *_, item in moved],
    }
    words = {
        "": [move for _, move, _ in moved],
        "rank before": [ranks_as_text(item.before) for *_, item in moved],
        "rank now": [ranks_as_text(item.now) for *_, item in moved],
    }
    return ResultTable({}, names, [], words=words)
