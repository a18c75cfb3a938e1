"""The plot of the differences between systems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ranking_scores._base import as_cell, as_percent, describe, invalid
from ranking_scores._plotting._layout import (
    GREY,
    HIGHER,
    INCHES_PER_LINE,
    LOWER,
    NARROW,
    WIDE,
    axes_or_new,
    draw_legend,
    escape,
    fill_lines,
    inches_of,
    ink_of,
    is_constrained,
    lay_out,
    new_axes,
    pyplot_for,
    room_of,
    widen,
    wrap,
    write_below,
)
from ranking_scores._statistics import Comparison, Comparisons, alpha_of

_SMALLEST_NUMBER = 6
"""The smallest font size of numbers beside bars, in points. Smaller ones are left out."""


class ComparisonDisplay:
    """Plot of the differences between systems, with their confidence intervals.

    Each comparison has a bar from 0 to the difference. The bars of significant differences are
    filled.

    Parameters
    ----------
    comparisons : Comparisons or Comparison
        The result of `ranking_scores.significance.compare_all` or of `compare`.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    bars_ : matplotlib.container.BarContainer
        The bars, with the first comparison at the top.

    interval_ : list of matplotlib.lines.Line2D
        The confidence intervals.

    zero_line_ : matplotlib.lines.Line2D
        The line at a difference of 0.

    Raises
    ------
    ValueError, TypeError
        If `comparisons` is another object. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.significance.compare_all : Computes the comparisons.
    QueryDifferenceDisplay : Plots the difference of each query.

    Notes
    -----
    A difference is significant if its corrected p-value is at most 1 minus the confidence level.
    The interval of a significant difference may still contain 0, and that of another difference
    may not, unless p-value and interval come from the same statistic, as with
    ``correction="max-t"``. The interval of a one-sided test has one limit, and an arrow at the
    other end.

    Examples
    --------
    >>> import numpy as np
    >>> from ranking_scores.plotting import ComparisonDisplay
    >>> from ranking_scores.significance import compare_all
    >>> rng = np.random.default_rng(0)
    >>> old = rng.random(50)
    >>> scores = {"old": old, "new": old + rng.normal(0.1, 0.2, 50)}
    >>> scores["other"] = old + rng.normal(0, 0.2, 50)
    >>> display = ComparisonDisplay(compare_all(scores, baseline="old", random_state=0)).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['new', 'other']
    >>> [text.get_text() for text in display.ax_.texts]
    ['0.1066, p = 0.0...', '0.0054, p = 0.9...']
    """

    ax_: Any
    figure_: Any
    bars_: Any
    interval_: list[Any]
    zero_line_: Any

    def __init__(self, comparisons: Comparisons | Comparison) -> None:
        if not isinstance(comparisons, (Comparison, Comparisons)):
            expected = "a result of compare_all or compare"
            raise invalid("comparisons", "ComparisonDisplay", expected, describe(comparisons))
        self.comparisons = comparisons

    def plot(self, ax: Any = None) -> ComparisonDisplay:
        """Plot the comparisons.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is outside of the axes if
            their figure has the "constrained" layout, like a new figure, and if there is enough
            room. Otherwise it is inside.

        Returns
        -------
        display : ComparisonDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        pyplot = pyplot_for("ComparisonDisplay.plot")
        found = self.comparisons
        rows = [found] if isinstance(found, Comparison) else list(found)
        labels = self._labels(rows)
        width, height = pyplot.rcParams["figure.figsize"]
        n_lines = sum(label.count("\n") + 2 for label in labels)
        size = 1.3 * width, max(height / 2, INCHES_PER_LINE * (n_lines + 8))
        new = partial(new_axes, size, pyplot)
        with axes_or_new(ax, new, "ComparisonDisplay.plot") as self.ax_:
            self._draw(rows, labels)
        return self

    def _draw(self, rows: Sequence[Comparison], labels: Sequence[str]) -> None:
        """Draw everything on the axes."""
        found, ax = self.comparisons, self.ax_
        self.figure_ = ax.figure
        self.zero_line_ = ax.axvline(0, color=ink_of(ax), linewidth=0.8)
        self.bars_ = self._draw_bars(rows)
        self.interval_ = self._draw_intervals(rows)
        ax.set_yticks(range(len(labels)), labels)
        ax.set_ylim(len(labels) - 0.4, -0.6)
        n_queries, how, *_ = found._notes()
        write_below(f"{self._what(rows)}, mean of {n_queries}", ax)
        self._write_numbers(rows)
        n_columns = 2 if room_of(ax)[0] > WIDE else 1
        style = {"title": fill_lines(how, ax), "alignment": "left", "ncols": n_columns}
        legend = draw_legend(ax, is_beside=False, inside="lower left", **style)
        if legend is not None:  # below the bars
            bottom, top = ax.get_ylim()
            ax.set_ylim(top + widen(bottom - top, legend, axis=1), top)

    def _baseline(self) -> str | None:
        """Return the system that all others are compared with, or None."""
        found = self.comparisons
        return found.baseline if isinstance(found, Comparisons) else None

    def _labels(self, rows: Sequence[Comparison]) -> list[str]:
        """Return the label of each row."""
        has_several = len({row.metric for row in rows}) > 1
        labels = []
        for row in rows:
            is_plain = self._baseline() is not None
            label = row.system_b if is_plain else f"{row.system_b} - {row.system_a}"
            labels.append(wrap(f"{label}, {row.metric}" if has_several else label))
        return labels

    def _what(self, rows: Sequence[Comparison]) -> str:
        """Return a description of the lengths of the bars."""
        metrics, baseline = {row.metric for row in rows}, self._baseline()
        metric = metrics.pop() if len(metrics) == 1 else None
        of_metric = "" if metric is None else f" in {metric}"
        return escape(f"difference{of_metric}{'' if baseline is None else f' from {baseline}'}")

    def _draw_bars(self, rows: Sequence[Comparison]) -> Any:
        """Draw the differences, filled if they are significant."""
        ax = self.ax_
        meanings = {
            "significantly higher": HIGHER,
            "significantly lower": LOWER,
            "not significant": {"facecolor": "none", "edgecolor": GREY},
        }
        bars = ax.barh(range(len(rows)), [row.difference for row in rows], height=0.6)
        seen = set()
        for bar, row in zip(bars, rows, strict=True):
            is_significant = row.pvalue <= alpha_of(row.confidence_level)
            kind = 2 - is_significant * (1 + (row.difference > 0))
            meaning, style = list(meanings.items())[kind]
            seen.add(meaning)
            bar.set(**style)
        for meaning, style in meanings.items():
            if meaning in seen:
                ax.fill_between([], [], [], label=meaning, **style)
        return bars

    def _write_numbers(self, rows: Sequence[Comparison]) -> None:
        """Write the difference and the p-value beside each bar, if there is room for them."""
        ax, numbers = self.ax_, []
        at = {"xycoords": ax.get_yaxis_transform(), "va": "center", "annotation_clip": False}
        for number, row in enumerate(rows):
            text = f"{as_cell(row.difference)}, {_as_pvalue(row.pvalue)}"
            numbers.append(ax.annotate(text, (1.01, number), color=ink_of(ax), **at))
        width = max(inches_of(each)[0] for each in numbers)
        if is_constrained(ax) and room_of(ax)[0] - width >= NARROW:
            return
        lay_out(ax)
        room, height = room_of(ax)
        of_row = 72 * height / 2 / len(rows)  # the legend takes the other half
        size = min(of_row / 1.75, numbers[0].get_fontsize() * min(room / 3 / width, 1))
        is_narrow = size < _SMALLEST_NUMBER
        size = min(of_row / 3.5, 8) if is_narrow else size
        for each in numbers:
            text = each.get_text().replace(", ", "\n") if is_narrow else each.get_text()
            each.set(x=0.98, ha="right", fontsize=size, text=text)
        if size < _SMALLEST_NUMBER:
            for each in numbers:
                each.remove()
            return
        left, right = ax.get_xlim()
        widest = max(numbers, key=lambda each: inches_of(each)[0])
        ax.set_xlim(left, left + widen(right - left, widest, axis=0))

    def _draw_intervals(self, rows: Sequence[Comparison]) -> list[Any]:
        """Draw the intervals, with an arrow instead of an infinite limit."""
        ax = self.ax_
        ends = np.array([[row.low, row.high] for row in rows])
        known = np.array([0, *ends.flat, *(row.difference for row in rows)])
        known = known[np.isfinite(known)]
        beyond = 0.1 * (np.ptp(known) or 1)
        drawn = np.clip(ends, known.min() - beyond, known.max() + beyond)
        lines = []
        for number, (low, high) in enumerate(drawn.tolist()):
            style = {"color": ink_of(ax), "linewidth": 1.5}
            lines += ax.plot([low, high], [number, number], **style)
            for x, end, arrow in ((low, ends[number, 0], "<"), (high, ends[number, 1], ">")):
                marker = arrow if np.isinf(end) else "|"
                ax.plot(x, number, marker=marker, markersize=8, markeredgewidth=1.5, **style)
        level = as_percent(rows[0].confidence_level)
        lines[0].set_label(f"{level} confidence interval")
        return lines


def _as_pvalue(pvalue: float) -> str:
    """Return a p-value as text."""
    if np.isnan(pvalue):
        return "p undefined"
    return "p < 0.0001" if pvalue < 1e-4 else f"p = {pvalue:.4f}"
