"""The plot of the difference between two systems on each query."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._results import as_percent, count_queries
from ranking_scores._base._validation import describe
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
    within_reach,
    write_below,
    write_beside,
)
from ranking_scores.significance._comparisons import Comparison, Comparisons

Floats = NDArray[np.float64]

_MOST_NAMED_QUERIES = 30
"""The greatest number of queries whose ids are written below the axes."""
_LARGEST_ID_SHARE = 0.2
"""The largest share of the figure's height for these ids."""


class QueryDifferenceDisplay:
    """Plot of the difference between two systems on each query.

    The plot shows how many queries score higher, how many score lower, and by how much.

    Parameters
    ----------
    comparison : Comparison
        The result of `ranking_scores.significance.compare`, or one row of the result of
        `compare_all`, such as ``comparisons[0]``.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    higher_ : matplotlib.patches.StepPatch
        The bars of the queries with a higher score, with the highest difference first.

    lower_ : matplotlib.patches.StepPatch
        The bars of the queries with a lower score.

    mean_line_ : matplotlib.lines.Line2D
        The mean difference.

    interval_ : matplotlib.patches.Rectangle
        The confidence interval of the mean difference.

    Raises
    ------
    ValueError, TypeError
        If `comparison` is another object. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.significance.compare : Computes the comparison.
    ComparisonDisplay : Plots the mean differences of several comparisons.

    Notes
    -----
    In most metrics, a higher score is better. For ``arp``, the average relevant position, a lower
    score is better, so queries with a higher score are those that got worse.

    Queries on which one of the scores is undefined are left out, and their number is written
    below the axes. The ids of the queries are also written there, if there are at most 30 and if
    they are not too long. The ids come from reports, or from the index of a pandas Series unless
    it only numbers the rows.

    Examples
    --------
    >>> from ranking_scores.plotting import QueryDifferenceDisplay
    >>> from ranking_scores.significance import compare
    >>> comparison = compare([0.2, 0.4, 0.6, 0.8], [0.5, 0.4, 0.5, 1.0])
    >>> display = QueryDifferenceDisplay(comparison).plot()
    >>> display.higher_.get_label(), display.lower_.get_label()
    ('higher: 2 queries', 'lower: 1 query')
    """

    ax_: Any
    figure_: Any
    higher_: Any
    lower_: Any
    mean_line_: Any
    interval_: Any

    def __init__(self, comparison: Comparison) -> None:
        if not isinstance(comparison, Comparison):
            expected = "a result of compare, or a row of a result of compare_all"
            got = "Comparisons" if isinstance(comparison, Comparisons) else describe(comparison)
            raise invalid("comparison", "QueryDifferenceDisplay", expected, got)
        self.comparison = comparison

    def plot(self, ax: Any = None, *, n_ids: int = 0) -> QueryDifferenceDisplay:
        """Plot the differences in decreasing order.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is above the axes. If the
            figure has no layout engine, the axes of its grid are moved once, so that no text is
            cut off.

        n_ids : int, default=0
            The number of queries at each end whose ids are in the legend: those with the highest
            differences above 0, and those with the lowest ones below 0. Queries without ids have
            their positions, counted from 0.

        Returns
        -------
        display : QueryDifferenceDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError, TypeError
            If `n_ids` is not an int of at least 0.
        """
        function = "QueryDifferenceDisplay.plot"
        pyplot = pyplot_for(function)
        if not isinstance(n_ids, Integral) or isinstance(n_ids, bool) or n_ids < 0:
            raise invalid("n_ids", function, "an int of at least 0", describe(n_ids))
        entries = self._entries(int(n_ids))
        with axes_or_new(ax, partial(axes_for, entries, pyplot), function) as self.ax_:
            self._draw(entries)
        return self

    def _order(self) -> NDArray[Any]:
        """Return the places of the compared queries, the highest difference first."""
        found = self.comparison
        order = np.argsort(-found.difference_per_query, kind="stable")  # NaN sorts last
        return order[: found.n_queries]

    def _entries(self, n_ids: int) -> list[str]:
        """Return the legend entries of higher and of lower scores, with the ids of extremes."""
        found, order = self.comparison, self._order()
        ids = order if found.query_ids is None else found.query_ids[order]
        entries = []
        for what, n, extremes in (("higher", found.wins, ids), ("lower", found.losses, ids[::-1])):
            names = [escape(str(extreme)) for extreme in extremes[: min(n_ids, n)].tolist()]
            most = f"\n{'most' if n > 1 else 'on'}: {', '.join(names)}" if names else ""
            entries.append(f"{what}: {count_queries(n)}{most}")
        return entries

    def _draw(self, entries: list[str]) -> None:
        """Draw everything on the axes. The first two entries of the legend are given."""
        found, ax = self.comparison, self.ax_
        self.figure_ = ax.figure
        order = self._order()
        difference = found.difference_per_query[order]
        bars = partial(ax.stairs, edges=np.arange(len(order) + 1) + 0.5, fill=True)
        higher, lower = entries
        self.higher_ = bars(np.maximum(difference, 0), label=higher, **HIGHER)
        self.lower_ = bars(np.minimum(difference, 0), label=lower, **LOWER)
        equal = f"equal: {count_queries(found.draws)}"
        ax.axhline(0, color=ink_of(ax), linewidth=0.8, label=equal)
        mean = f"mean: {as_number(found.difference) if found.n_queries else 'undefined'}"
        self.mean_line_ = ax.axhline(
            found.difference, color=ink_of(ax), linestyle="--", label=mean
        )
        self.interval_ = self._draw_interval(difference)
        found, ax = self.comparison, self.ax_
        of_metric = "" if found.metric is None else f" in {found.metric}"
        write_beside(escape(f"difference{of_metric}, {found.system_b} - {found.system_a}"), ax)
        write_below(f"{found._notes()[0]}, the highest difference first", ax)
        ax.set_xticks([])
        if found.query_ids is not None and 0 < order.size <= _MOST_NAMED_QUERIES:
            names = [escape(str(query_id)) for query_id in found.query_ids[order].tolist()]
            length = INCHES_PER_CHARACTER * max(map(len, names))
            if length < _LARGEST_ID_SHARE * inches_of(ax.figure)[1]:
                ax.set_xticks(np.arange(order.size) + 1, names, rotation=90)
        draw_legend(ax, is_beside=False)

    def _draw_interval(self, difference: Floats) -> Any:
        """Draw the interval of the mean, with arrows at infinite limits."""
        found, ax = self.comparison, self.ax_
        if np.isnan(found.low):
            return None
        ends = np.array([found.low, found.high])
        drawn = within_reach(ends, found.difference, difference)
        for end, y, arrow in zip(ends, drawn, "v^", strict=True):
            if np.isinf(end):
                at = {"color": GREY, "markersize": 8, "clip_on": False, "linestyle": "none"}
                ax.plot(len(difference) / 2 + 0.5, y, marker=arrow, **at)
        label = f"{as_percent(found.confidence_level)} confidence interval of the mean"
        return ax.axhspan(*drawn, color=GREY, alpha=0.3, linewidth=0, label=label)
