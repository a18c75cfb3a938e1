"""The result of `changes`: what it holds, and how it prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from textwrap import wrap
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from ranking_scores._base import as_code, in_html, pandas_for, visible, with_types
from ranking_scores._metrics import list_some
from ranking_scores._statistics._changed_lists import ListChange
from ranking_scores._statistics._moved_items import MovedItem, RankRange
from ranking_scores._statistics._results import Result, Table

VERDICTS = ("better", "worse", "no clear change", "unchanged", "not tested")
_NUMBERS = ("before", "now", "difference", "low", "high", "pvalue", "wins", "draws", "losses")
_OF_GROUPS = ("before", "now", "difference", "pvalue", "wins", "draws", "losses")
"""The numbers of groups that are printed, so that there is space for their names."""
_OF_MEANS = _OF_QUERIES = ("before", "now", "difference")
_WIDTH = 96
"""The greatest width of a line of text below the tables."""
_LONGEST = 27
"""The greatest length of an id or of the name of a group in text."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ScoreChange(Result):
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

    def _table(self) -> Table:
        keys = _NUMBERS if _are_tested([self]) else _OF_MEANS
        notes = [f"{self.verdict}: {self.reason}"]
        return Table(_columns([self], keys), {"": [self.score]}, notes)


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


class Form(NamedTuple):
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


TEXT, HTML, MARKDOWN = Form(True, False), Form(False, False), Form(False, True)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Changes(Result):
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
        rows |= {(grouping, group, name): row for grouping, group, name, row in self._of_groups()}
        keys = [each.name for each in fields(ScoreChange) if each.name != "score"]
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
        pandas = pandas_for("Changes.queries_frame")
        fixed = [name for name in QueryChange._fields if name != "groups"]
        rows = [
            (name, side, *(getattr(each, key) for key in fixed), *each.groups.values())
            for side, of_score in (("lost", self.lost), ("won", self.won))
            for name, queries in of_score.items()
            for each in queries
        ]
        columns = ["score", "side", *fixed]
        columns += [f"{each} (group)" if each in columns else each for each in self.by_group]
        return pandas.DataFrame(rows, columns=columns)

    def to_markdown(self) -> str:
        """Return the result in the Markdown of GitHub, such as for a comment of a pull request.

        Returns
        -------
        text : str
            The tables, with the names of scores, groups, queries and items as code, and the notes.
        """
        parts = [titled(*each, MARKDOWN) for each in self._tables(MARKDOWN)]
        return "\n\n".join([*parts, "\n".join(["```text", *self._lines(), "```"])])

    def __repr__(self) -> str:
        parts = ["\n".join(self._verdicts())]
        parts += [titled(*each, TEXT) for each in self._tables(TEXT)]
        return "\n\n".join([*parts, "\n".join(self._lines())])

    def _repr_html_(self) -> str:
        parts = [titled(*each, HTML) for each in self._tables(HTML)]
        return "\n".join([*parts, *(f"<p>{in_html(note)}</p>" for note in self.notes)])

    def _tables(self, form: Form) -> Iterator[tuple[str, Table]]:
        """Yield the tables with their titles. That of all queries comes first, without a title."""
        yield "", self._table(form)
        for grouping in self.by_group:
            yield f"by {form.name(grouping)}", self._table_of_groups(grouping, form)
        first = next(iter(self.scores))
        for side, of_score in (("lost", self.lost), ("won", self.won)):
            queries = of_score.get(first, ())
            if not queries:
                continue
            yield f"{side} most in {form.name(first)}", self._table_of_queries(queries, form)
            k = self._cutoffs[first]
            where = "the retrieved items" if k is None else f"the first {k}"
            moved = list(moves_of(queries))
            if moved:
                title = f"relevant items of these queries that left {where} or came in"
                yield title, table_of_moves(moved, form)
            missed = [(each.query, item) for each in queries for item in each.missed or ()]
            if side == "lost" and missed and queries[0].left is None:
                title = f"relevant items of these queries that are not among {where}"
                yield title, _table_of_missed(missed, form)

    def _table(self, form: Form = TEXT) -> Table:
        """Return the table of all queries."""
        rows = list(self.scores.values())
        names = {"": [form.cell(name) for name in self.scores]}
        keys = _NUMBERS if _are_tested(rows) else _OF_MEANS
        return Table(_columns(rows, keys), names, [], words=_verdicts_of(rows, form))

    def _table_of_groups(self, grouping: str, form: Form) -> Table:
        """Return the table of the groups of a grouping."""
        found = [each for each in self._of_groups() if each[0] == grouping]
        rows = [row for *_, row in found]
        names = {
            "": [form.cell(name) for *_, name, _ in found],
            "group": [form.cell(group) for _, group, *_ in found],
        }
        keys = _OF_GROUPS if _are_tested(rows) else _OF_MEANS
        columns, words = _columns(rows, keys), _verdicts_of(rows, form)
        if not (form.is_text and _are_tested(rows)):
            return Table(columns, names, [], words=words)
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
        return Table(columns, names, notes or ["no clear change in any group"], is_clear)

    def _table_of_queries(self, queries: tuple[QueryChange, ...], form: Form) -> Table:
        """Return the table of some queries."""
        names = {"": [form.cell(each.query) for each in queries]}
        names |= {
            grouping: [form.cell(each.groups[grouping]) for each in queries]
            for grouping in queries[0].groups
        }
        return Table(_columns(queries, _OF_QUERIES), names, [])

    def _of_groups(self) -> Iterator[tuple[str, Any, str, ScoreChange]]:
        """Yield the changes in all groups, with the grouping, the group and the score."""
        for grouping, groups in self.by_group.items():
            for name in self.scores:
                for group, of_group in groups.items():
                    yield grouping, group, name, of_group[name]

    def _verdicts(self) -> list[str]:
        """Return the scores of each verdict, in lines of text."""
        lines = []
        for verdict in VERDICTS:
            names = [_on_line(name) for name, row in self.scores.items() if row.verdict == verdict]
            lines += wrap(f"{verdict}: {', '.join(names)}", _WIDTH) if names else []
        return lines

    def _lines(self) -> list[str]:
        """Return the notes in lines of text."""
        return [line for note in self.notes for line in wrap(_on_line(note), _WIDTH)]


def titled(title: str, table: Table, form: Form) -> str:
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


def _verdicts_of(rows: list[ScoreChange], form: Form) -> dict[str, list[str]]:
    """Return the verdicts as a column of words, which is too wide for text."""
    return {} if form.is_text else {"verdict": [row.verdict for row in rows]}


class _HasMoves(Protocol):
    """A query with the items that moved."""

    @property
    def query(self) -> Any:
        """The id of the query."""

    @property
    def left(self) -> tuple[MovedItem, ...] | None:
        """The items that left."""

    @property
    def came_in(self) -> tuple[MovedItem, ...] | None:
        """The items that came in."""


def moves_of(queries: Iterable[_HasMoves]) -> Iterator[tuple[Any, str, MovedItem]]:
    """Yield the items that moved, with their query and with what they did."""
    for each in queries:
        yield from ((each.query, "left", item) for item in each.left or ())
        yield from ((each.query, "came in", item) for item in each.came_in or ())


def table_of_moves(moved: list[tuple[Any, str, MovedItem]], form: Form) -> Table:
    """Return the table of the items that moved."""
    names = {
        "": [form.cell(query) for query, *_ in moved],
        "item": [form.cell(each.item) for *_, each in moved],
    }
    words = {
        "": [move for _, move, _ in moved],
        "rank before": [_ranks_as_text(each.before) for *_, each in moved],
        "rank now": [_ranks_as_text(each.now) for *_, each in moved],
    }
    return Table({}, names, [], words=words)


def _table_of_missed(missed: list[tuple[Any, MovedItem]], form: Form) -> Table:
    """Return the table of items that are not among the first ranks."""
    names = {
        "": [form.cell(query) for query, _ in missed],
        "item": [form.cell(each.item) for _, each in missed],
    }
    words = {"rank now": [_ranks_as_text(each.now) for _, each in missed]}
    return Table({}, names, [], words=words)


def _ranks_as_text(ranks: RankRange | None) -> str:
    """Return the ranks that an item may have, in words."""
    if ranks is None:
        return "not retrieved"
    return " to ".join(dict.fromkeys(map(str, ranks)))
