"""The results of `ranking_scores.explain`: what they hold, and how they print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ranking_scores._base._errors import show_id, visible
from ranking_scores._base._results import (
    Column,
    ComparableResult,
    ResultTable,
    as_cell,
    columns_of,
    count_queries,
    in_html,
    pandas_for,
    ranks_as_text,
    table_of,
    with_types,
)

"""The first and the last rank that an item has in the orders of the items with its score."""

SAME = 1e-12
"""The relative tolerance. Sums of the same terms in different orders differ by less."""


@with_types
class ItemPart(NamedTuple):
    """An item of a query, and its part of the score.

    Attributes
    ----------
    item : object
        The id of the item. Without ids, it is its column, its row, or its place in its list.

    label : int or float
        The label. With class labels, it is 1 for the class of the sample and 0 for other classes.

    weight : float or None
        The item's weight. None: items have no weights.

    first_rank : int or None
        The first rank that the item may have: 1 plus the number of items with a higher score.
        None: it was not retrieved.

    last_rank : int or None
        The last rank that the item may have: the number of items whose score is not lower.

    part : float
        What the item adds to the score of the query: its expected value over all orders of the
        items with equal scores.

    best_part : float
        What it adds in the best ranking. Items of equal gain share this equally.

    lost : float
        `best_part` minus `part`. If lower is better, `part` minus `best_part`.

    if_first : float
        The score of the query if this item alone were moved to the first rank.
    """

    item: Any
    label: Any
    weight: float | None
    first_rank: int | None
    last_rank: int | None
    part: float
    best_part: float
    lost: float
    if_first: float


@with_types
class ItemMove(NamedTuple):
    """An item that another ranking moves, and what the move gains or costs.

    Attributes
    ----------
    item : object
        The id of the item, or its number.

    label : int or float
        The label, as in the other data if it has the item.

    before : tuple of two int, or None
        The first and the last possible rank. None: the item is not retrieved.

    now : tuple of two int, or None
        The same in the other ranking.

    part_before : float
        What the item adds to the score of the query.

    part_now : float
        What it adds to the score of the other ranking.

    change : float
        `part_now` minus `part_before`.
    """

    item: Any
    label: Any
    before: tuple[int, int] | None
    now: tuple[int, int] | None
    part_before: float
    part_now: float
    change: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QueryExplanation(ComparableResult):
    """The result of `explain_query` for one query: what each item adds to its score.

    It prints as a table. Explanations are equal if all their values are.

    Attributes
    ----------
    query : object
        The id of the query, or its number if queries have no ids.

    score : str
        The name of the score, such as "ndcg@10".

    value : float
        The score of the query. If it is undefined, this is the value of `replace_undefined_by`.

    best : float
        The score of the best ranking of the same items. If the score is undefined, this is
        `value`.

    is_defined : bool
        Whether the score is defined. If it is not, all parts are 0.

    greater_is_better : bool
        Whether a higher score is better.

    items : tuple of ItemPart
        The items that matter, those that lose most first: items that add something or might do so,
        and items that gain nothing above one of these, down to the last rank that counts.

    best_change : ItemPart or None
        The item whose move to the first rank gains most. None: no such move gains anything.

    n_left_out : int
        The number of ranked items that are not among `items`.

    has_query_id : bool
        Whether `query` is an id. Otherwise it is a number.

    has_item_ids : bool
        Whether items have ids. Otherwise they have numbers.

    other_value : float or None
        The score of the other ranking. None: there is no other ranking.

    is_other_defined : bool or None
        Whether the score of the other ranking is defined.

    moves : tuple of ItemMove
        The items that the other ranking moves, the largest changes first.
    """

    query: Any
    score: str
    value: float
    best: float
    is_defined: bool
    greater_is_better: bool
    items: tuple[ItemPart, ...]
    best_change: ItemPart | None
    n_left_out: int
    has_query_id: bool
    has_item_ids: bool
    other_value: float | None = None
    is_other_defined: bool | None = None
    moves: tuple[ItemMove, ...] = ()

    def __repr__(self) -> str:
        blocks = []
        for table, lines in self._blocks():
            text = [] if table is None else [table.as_text().rstrip()]
            blocks.append("\n".join([*text, *map(visible, lines)]))
        return "\n\n".join(blocks)

    def _repr_html_(self) -> str:
        parts = []
        for table, lines in self._blocks():
            parts += [] if table is None else [table.as_html()]
            parts += [f"<p>{in_html(line, quote=False)}</p>" for line in lines]
        return "\n".join(parts)

    def to_frame(self) -> Any:
        """Return the items as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per item, in the order of `items`, with the query and the attributes of
            `ItemPart`. Ranks have a nullable type, since items that were not retrieved have none.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return _frame([self], "QueryExplanation.to_frame")

    def moves_frame(self) -> Any:
        """Return the items that the other ranking moves, as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per item, in the order of `moves`: the query, the item, its label, its first
            and its last possible rank before and now, its parts, and their change.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return _moves_frame([self], "QueryExplanation.moves_frame")

    def _blocks(self) -> Iterator[tuple[ResultTable | None, list[str]]]:
        """Yield lines of text, each time below a table or alone."""
        yield None, [self._title()]
        if self.items:
            yield _table_of(_ITEM_COLUMNS, self.items), self._notes()
        elif self.n_left_out:
            yield None, self._notes()
        if self.other_value is not None:
            yield None, [self._title_of_other()]
            if self.moves:
                yield _table_of(_MOVE_COLUMNS, self.moves), []

    def _title(self) -> str:
        """Return the first line."""
        query = show_id(self.query) if self.has_query_id else str(self.query)
        subject = f"{self.score} of query {query}"
        if not self.is_defined:
            return f"{subject} is undefined, since no item gains anything; {_counts(self.value)}"
        title = f"{subject} is {as_cell(self.value)}, and {as_cell(self.best)} at best"
        if not self.greater_is_better:
            title += " (lower is better)"
        if self.items and self.items[0].lost > 0 and abs(self.best - self.value) > SAME:
            name, lost = self._name(self.items[0].item), self.items[0].lost
            n_more = sum(item.lost >= lost * (1 - SAME) for item in self.items) - 1
            cost = f" and {n_more} more cost most" if n_more else " costs most"
            title += f"; {name}{cost}, {as_cell(lost)}{' each' * bool(n_more)}"
        return title

    def _notes(self) -> list[str]:
        """Return the lines below the table of items."""
        lines = []
        if self.best_change is not None:
            item, score = self._name(self.best_change.item), as_cell(self.best_change.if_first)
            lines.append(f"if only {item} were first: {score}")
        elif self.is_defined and self.items:
            lines.append("no item would gain anything by a move to the first rank")
        if self.n_left_out:
            items = "item adds" if self.n_left_out == 1 else "items add"
            left_out = f"{items} nothing and {_is(self.n_left_out)} left out"
            lines.append(f"{self.n_left_out} ranked {left_out}")
        return lines

    def _name(self, item: Any) -> str:
        """Return the id of an item, or its number, as sentences name it."""
        return show_id(item) if self.has_item_ids else f"item {item}"

    def _title_of_other(self) -> str:
        """Return the line about the other ranking."""
        value = float(self.other_value or 0)
        if not (self.is_defined and self.is_other_defined):
            now = as_cell(value) if self.is_other_defined else f"undefined; {_counts(value)}"
            return f"in the other ranking it is {now}"
        change = value - self.value
        more = "more" if change > 0 else "less"
        text = f"{as_cell(abs(change))} {more}" if change else "the same"
        return f"in the other ranking it is {as_cell(value)}, {text}"


@dataclass(frozen=True, eq=False, repr=False)
class QueryExplanations(ComparableResult, Sequence[QueryExplanation]):
    """The result of `explain_query` for several queries: a sequence of explanations.

    It prints one explanation after the other.

    Attributes
    ----------
    explanations : tuple of QueryExplanation
        The explanations, in the order in which the queries were asked for, or the worst first.

    n_undefined : int
        The number of queries that are not among the worst ones, since their score is undefined.
        It is 0 if the queries were asked for.

    over_aspects : bool
        Whether each explanation is that of an aspect of a query, whose `query` is (query, aspect).
        The score of the query is the mean of those of its aspects.

    aspect_weight : tuple of float or None
        The weight of each of these aspects in the mean. None if they all weigh the same.
    """

    explanations: tuple[QueryExplanation, ...]
    n_undefined: int = 0
    over_aspects: bool = False
    aspect_weight: tuple[float, ...] | None = None

    if TYPE_CHECKING:  # it is typed there: one for an int, several for a slice
        __getitem__ = Sequence[QueryExplanation].__getitem__
    else:

        def __getitem__(self, index: int | slice) -> Any:
            """Return an explanation by its place, or several as a tuple."""
            return self.explanations[index]

    def __len__(self) -> int:
        return len(self.explanations)

    def __repr__(self) -> str:
        return "\n\n\n".join([*map(repr, self.explanations), *map(visible, self._notes())])

    def _repr_html_(self) -> str:
        notes = [f"<p>{in_html(line, quote=False)}</p>" for line in self._notes()]
        return "\n".join([*(each._repr_html_() for each in self.explanations), *notes])

    def to_frame(self) -> Any:
        """Return the items of all queries as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            The rows of `QueryExplanation.to_frame` of one query after the other.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return _frame(self.explanations, "QueryExplanations.to_frame")

    def moves_frame(self) -> Any:
        """Return the items that the other ranking moves, in all queries, as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            The rows of `QueryExplanation.moves_frame` of one query after the other.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return _moves_frame(self.explanations, "QueryExplanations.moves_frame")

    def _notes(self) -> list[str]:
        """Return the line about undefined queries."""
        lines = ["the score of a query is the mean over its aspects"] * self.over_aspects
        if self.aspect_weight is not None:
            weights = ", ".join(f"{each:g}" for each in self.aspect_weight)
            lines[0] += f", which weigh, in this order, {weights}"
        if self.n_undefined:
            queries = count_queries(self.n_undefined)
            lines.append(f"{queries} with an undefined score {_is(self.n_undefined)} left out")
        return lines


def _name(item: Any) -> str:
    """Return the id of an item on one line."""
    return visible(str(item))


def _digits(value: Any) -> str:
    """Return a label or a weight with the digits that it needs."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


_ITEM_COLUMNS = (
    Column("item", title="", kind="name", show=_name),
    Column("label", show=_digits),
    Column("weight", show=_digits),
    *columns_of("part", "best_part", "lost", "if_first"),
    Column("rank", kind="word", show=ranks_as_text),
)
_MOVE_COLUMNS = (
    Column("item", title="", kind="name", show=_name),
    Column("label", show=_digits),
    *columns_of("part_before", "part_now", "change"),
    Column("rank before", "before", kind="word", show=ranks_as_text),
    Column("rank now", "now", kind="word", show=ranks_as_text),
)


def _table_of(columns: Sequence[Column], rows: Sequence[Any]) -> ResultTable:
    """Return a table of the items, or of the items that moved."""

    def read(name: str) -> list[Any] | None:
        if name == "rank":
            return [
                None if row.first_rank is None else (row.first_rank, row.last_rank) for row in rows
            ]
        values = [getattr(row, name) for row in rows]
        return None if name == "weight" and values[0] is None else values

    return table_of(columns, read, [])


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _counts(value: float) -> str:
    """Return what an undefined score counts in the mean, in words."""
    return "it is left out of the mean" if value != value else f"it counts as {value:g}"


def _frame(explanations: Sequence[QueryExplanation], method: str) -> Any:
    """Return the items of explanations as a frame."""
    pandas = pandas_for(method)
    rows = [(each.query, *part) for each in explanations for part in each.items]
    frame = pandas.DataFrame(rows, columns=["query", *ItemPart._fields])
    return frame.astype({"first_rank": "Int64", "last_rank": "Int64"})


def _moves_frame(explanations: Sequence[QueryExplanation], method: str) -> Any:
    """Return the moved items of explanations as a frame."""
    pandas, nowhere = pandas_for(method), (None, None)
    rows = [
        (each.query, *move[:2], *(move.before or nowhere), *(move.now or nowhere), *move[4:])
        for each in explanations
        for move in each.moves
    ]
    ranks = ["first_rank_before", "last_rank_before", "first_rank_now", "last_rank_now"]
    columns = ["query", "item", "label", *ranks, *ItemMove._fields[4:]]
    return pandas.DataFrame(rows, columns=columns).astype(dict.fromkeys(ranks, "Int64"))
