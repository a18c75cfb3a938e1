"""The plot of what each item of a query adds to its score, rank by rank."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from ranking_scores._base._errors import invalid, show_id
from ranking_scores._base._validation import describe
from ranking_scores._queries._data import refuse_aspects
from ranking_scores._tables._ranking_data import RankingData
from ranking_scores.explain import ItemPart, QueryExplanation, explain_query
from ranking_scores.plotting._layout import (
    GREY,
    HIGHER,
    INCHES_PER_CHARACTER,
    LOWER,
    as_number,
    axes_for,
    axes_or_new,
    draw_legend,
    escape,
    inches_of,
    ink_of,
    pyplot_for,
    tick_whole_numbers,
    write_below,
    write_beside,
)

_LAST_NAMED_PLACE = 30
"""The ids of items are written below the axes if no bar is farther to the right."""
_LARGEST_ID_SHARE = 0.3
"""The largest share of the figure's height for these ids."""
_GAP = 0.04
"""Half the space between the bands of two tie groups."""


class RankingDisplay:
    """Plot of what each item of a query adds to its score, beside what it adds at best.

    There is a bar for each rank. The filled bar is the part of the item there, and the outline is
    its part in the best ranking. Relevant items that were not retrieved are at the end.

    Parameters
    ----------
    explanation : QueryExplanation
        The result of `ranking_scores.explain.explain_query` for one query, or an element of its
        result for several.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    parts_ : matplotlib.container.BarContainer
        The filled bars: the parts of the items at the ranks that they may have.

    best_parts_ : matplotlib.container.BarContainer
        The outlines: the parts of the same items in the best ranking.

    missed_ : matplotlib.container.BarContainer or None
        The hatched outlines of the items that were not retrieved. None if there are none.

    tie_band_ : list of matplotlib.patches.Rectangle
        The bands behind the ranks of the tie groups.

    Raises
    ------
    ValueError, TypeError
        If `explanation` is another object. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.explain.explain_query : Computes the explanation.
    RankingCurveDisplay : Plots a score against its cutoff.

    Notes
    -----
    The filled bars add up to the score of the query, and all outlines add up to the score of its
    best ranking. The items of a tie group may be in any order, so they share a band. Each of their
    bars is the expected part of an item over all orders.

    Ranks whose items neither add anything nor are above items that do have no bar. If all bars are
    within the first 30 places, the ids of the items are below the axes. Of long ids these are the
    last characters.

    Examples
    --------
    >>> from ranking_scores.plotting import RankingDisplay
    >>> y_true, y_score = [[0, 2, 1, 0, 0, 3]], [[5, 5, 5, 2, 2, 1]]
    >>> display = RankingDisplay.from_predictions(y_true, y_score, score="ndcg@3")
    >>> [round(float(bar.get_height()), 4) for bar in display.parts_]
    [0.2983, 0.1492, 0.0, 0.0]
    >>> display.best_parts_.get_label()
    'part at best: 1.0000'
    """

    ax_: Any
    figure_: Any
    parts_: Any
    best_parts_: Any
    missed_: Any
    tie_band_: list[Any]

    def __init__(self, explanation: QueryExplanation) -> None:
        if not isinstance(explanation, QueryExplanation):
            expected = "a result of explain_query for one query"
            got = describe(explanation)
            code = "Of the result for several queries, pass an element, such as `explanations[0]`."
            raise invalid("explanation", "RankingDisplay", expected, got, code=code)
        self.explanation = explanation

    @classmethod
    def from_explanation(cls, explanation: QueryExplanation, *, ax: Any = None) -> RankingDisplay:
        """Plot an explanation that was computed before.

        Parameters
        ----------
        explanation : QueryExplanation
            The result of `ranking_scores.explain.explain_query` for one query.

        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure.

        Returns
        -------
        display : RankingDisplay
            The display, which is drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError, TypeError
            If `explanation` is another object.
        """
        function = "RankingDisplay.from_explanation"
        pyplot_for(function)
        return cls(explanation)._plot(ax, function)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | RankingData,
        y_score: Any = None,
        *,
        score: Callable[..., Any] | str = "ndcg",
        query: Any = None,
        query_ids: ArrayLike | None = None,
        item_ids: ArrayLike | None = None,
        ax: Any = None,
        **params: Any,
    ) -> RankingDisplay:
        """Explain the score of a query and plot the explanation.

        Parameters
        ----------
        y_true : array-like, sparse or RankingData
            The labels, in any layout that `score` accepts. Or what `ranking_scores.from_tables`,
            `from_lists` or `from_table` returned, without `y_score`.

        y_score : array-like or sparse, default=None
            The scores that rank the items, in the same layout.

        score : callable or str, default="ndcg"
            A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a
            score. Scores that `explain_query` refuses cannot be plotted.

        query : object, default=None
            The query: its id, if queries have ids, and otherwise the number of its row. It may be
            left out if the data has one query. Pass ``worst=1`` to plot the query with the lowest
            score.

        query_ids : array-like of shape (n_queries,), default=None
            The ids of the queries, if each row of `y_true` is a query.

        item_ids : array-like, default=None
            The ids of the items, as in `ranking_scores.explain.explain_query`.

        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure.

        **params
            Other parameters of `score`, such as ``k=10``, ``qid=`` or ``gain=``.

        Returns
        -------
        display : RankingDisplay
            The display, which is drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError, TypeError
            If `explain_query` refuses the data or a parameter, or if `query` is a list.
        """
        function = "RankingDisplay.from_predictions"
        pyplot_for(function)
        refuse_aspects(y_true, "y_true", function)
        params |= {"query_ids": query_ids, "item_ids": item_ids}
        explanation = explain_query(y_true, y_score, score=score, query=query, **params)
        if not isinstance(explanation, QueryExplanation):
            if len(explanation) != 1:
                name = "worst" if "worst" in params else "query"
                got = describe(params.get("worst", query))
                raise invalid(name, function, "one query, since one is plotted", got)
            [explanation] = explanation
        return cls(explanation)._plot(ax, function)

    def plot(self, ax: Any = None) -> RankingDisplay:
        """Plot the parts of the items, rank by rank.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is beside or above the axes.
            If the figure has no layout engine, the axes of its grid are moved once, so that no
            text is cut off.

        Returns
        -------
        display : RankingDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return self._plot(ax, "RankingDisplay.plot")

    def _plot(self, ax: Any, function: str) -> RankingDisplay:
        """Plot the explanation. Errors name the given function."""
        pyplot = pyplot_for(function)
        placed = _place(self.explanation.items)
        entries = self._entries(placed)
        with axes_or_new(ax, partial(axes_for, [*entries.values()], pyplot), function) as self.ax_:
            self._draw(placed, entries)
        return self

    def _entries(self, placed: _PlottedItems) -> dict[str, str]:
        """Return the entries of the legend."""
        found = self.explanation
        entries = {
            "parts": f"part: {as_number(found.value)}",
            "best_parts": f"part at best: {as_number(found.best)}",
        }
        if placed.missed:
            n_missed = len(placed.missed)
            entries["missed"] = f"not retrieved: {n_missed} item{'s' * (n_missed != 1)}"
        if placed.groups:
            entries["ties"] = "tie group"
        return entries

    def _draw(self, placed: _PlottedItems, entries: dict[str, str]) -> None:
        """Draw everything on the axes."""
        ax, found = self.ax_, self.explanation
        self.figure_ = ax.figure
        self.tie_band_ = [
            ax.axvspan(first - 0.5 + _GAP, last + 0.5 - _GAP, color=GREY, alpha=0.2, linewidth=0)
            for first, last in placed.groups
        ]
        for band in self.tie_band_[:1]:
            band.set_label(entries["ties"])
        is_long = len(placed.ranked) + len(placed.missed) > _LAST_NAMED_PLACE
        width = 0.3 if is_long else 1
        outline = {"facecolor": "none", "edgecolor": ink_of(ax), "linewidth": width}
        parts = [part.part for part in placed.ranked]
        self.parts_ = ax.bar(placed.at, parts, label=entries["parts"], **HIGHER)
        at_best = [part.best_part for part in placed.ranked]
        self.best_parts_ = ax.bar(placed.at, at_best, label=entries["best_parts"], **outline)
        self.missed_ = None
        if placed.missed:
            missed = [part.best_part for part in placed.missed]
            style = outline | {"edgecolor": LOWER["edgecolor"]}
            style |= {} if is_long else {"hatch": LOWER["hatch"]}
            self.missed_ = ax.bar(placed.missed_at, missed, label=entries["missed"], **style)
        ax.axhline(0, color=ink_of(ax), linewidth=0.8)
        query = show_id(found.query) if found.has_query_id else str(found.query)
        write_beside(escape(f"part of {found.score}, query {query}"), ax)
        self._label_ranks(placed)
        if placed.ranked or placed.missed:
            draw_legend(ax)

    def _label_ranks(self, placed: _PlottedItems) -> None:
        """Label the x axis, with the ids of the items if there is room."""
        ax, shown = self.ax_, [*placed.ranked, *placed.missed]
        below = "rank"
        if not self.explanation.is_defined:
            below = "no item gains anything, so the score is undefined"
        if not shown:
            ax.set_xticks([])
        elif max([*placed.at, *placed.missed_at]) <= _LAST_NAMED_PLACE:
            longest = int(_LARGEST_ID_SHARE * inches_of(ax.figure)[1] / INCHES_PER_CHARACTER)
            texts = [" ".join(str(part.item).split()) for part in shown]
            names = [  # only the end of a long one, since many ids begin alike
                escape(
                    text if len(text) <= longest else f"\u2026{text[len(text) - longest + 1 :]}"
                )
                for text in texts
            ]
            ax.set_xticks([*placed.at, *placed.missed_at], names, rotation=90)
            below = "items, the first rank first"
        else:
            tick_whole_numbers(ax)
            last = max(placed.at, default=0)
            ax.set_xticks([tick for tick in ax.get_xticks() if 1 <= tick <= last])
        if placed.missed:
            below += ", and those that were not retrieved"
        write_below(below, ax)


class _PlottedItems(NamedTuple):
    """The items of a plot, and where they are on its x axis."""

    ranked: list[ItemPart]
    at: list[int]
    """The rank of each ranked item. In a tie group, it is one of those that the item may have."""
    missed: list[ItemPart]
    missed_at: list[int]
    groups: list[tuple[int, int]]
    """The first and the last rank of each tie group that are drawn."""


def _place(items: tuple[ItemPart, ...]) -> _PlottedItems:
    """Return the items in the order of their ranks, and where they are."""
    ranked = [item for item in items if item.first_rank is not None]
    ranked.sort(key=lambda each: (each.first_rank, -each.best_part))
    at: list[int] = []
    groups: list[tuple[int, int]] = []
    for ranks, same in groupby(ranked, key=lambda each: (each.first_rank or 0, each.last_rank)):
        first, n_same = ranks[0], len(list(same))
        at += range(first, first + n_same)
        if ranks[1] != first:
            groups.append((first, first + n_same - 1))
    missed = [item for item in items if item.first_rank is None]
    start = max(at, default=-1) + 2
    return _PlottedItems(ranked, at, missed, [*range(start, start + len(missed))], groups)
