"""The plot of the differences between systems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ranking_scores._base._errors import invalid
from ranking_scores._base._results import as_percent
from ranking_scores._base._validation import describe
from ranking_scores.plotting._layout import (
    GREY,
    HIGHER,
    INCHES_PER_LINE,
    LABEL_SHARE,
    LOWER,
    NARROW,
    SMALLEST,
    as_number,
    axes_or_new,
    draw_legend,
    escape,
    fill,
    fill_names,
    has_layout,
    inches_of,
    ink_of,
    lay_out,
    new_axes,
    pyplot_for,
    room_of,
    share_of,
    size_of_names,
    within_reach,
    wrap,
    write_below,
)
from ranking_scores.significance._comparisons import Comparison, Comparisons
from ranking_scores.significance._tests import alpha_of


class ComparisonDisplay:
    """Plot of the differences between systems, with their confidence intervals.

    Each comparison has a bar from 0 to the difference. The bars of significant differences are
    filled, with one colour for higher and another one for lower, as the test says. The ranks of
    Wilcoxon's test may point to another side than the mean. The legend names such bars.

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
            The axes to draw on. None makes a new figure. The legend is beside or above the axes.
            If the figure has no layout engine, the axes of its grid are moved once, so that no
            text is cut off.

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
        n_lines = sum(wrap(label).count("\n") + 2 for label in labels)
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
        ends = np.array([[row.low, row.high] for row in rows])
        drawn = within_reach(ends, [row.difference for row in rows])
        lines = []
        for number, (low, high) in enumerate(drawn.tolist()):
            style = {"color": ink_of(ax), "linewidth": 1.5}
            lines += ax.plot([low, high], [number, number], **style)
            for x, end, arrow in ((low, ends[number, 0], "<"), (high, ends[number, 1], ">")):
                marker = arrow if np.isinf(end) else "|"
                ax.plot(x, number, marker=marker, markersize=8, markeredgewidth=1.5, **style)
        lines[0].set_label(f"{as_percent(rows[0].confidence_level)} confidence interval")
        self.interval_ = lines
        ax.set_ylim(len(labels) - 0.4, -0.6)
        n_queries, how, *_ = found._notes()
        is_beside = self._write_labels(rows, labels)
        what = f"{self._describe_bars(rows)}, mean of {n_queries}"
        write_below(what, ax)
        title = fill(how, room_of(ax)[0], ax.xaxis.label.get_fontsize())
        draw_legend(ax, is_beside=False, title=title, alignment="left")
        if not is_beside and not self._shrink_labels(labels):
            write_below(f"{what}; more room shows p-values", ax)
        lay_out(ax)

    def _labels(self, rows: Sequence[Comparison]) -> list[str]:
        """Return the label of each row."""
        has_several = len({row.metric for row in rows}) > 1
        has_groups = any(row.group is not None for row in rows)
        labels = []
        for row in rows:
            is_plain = getattr(self.comparisons, "baseline", None) is not None
            label = row.system_b if is_plain else f"{row.system_b} - {row.system_a}"
            label += f", {row.metric}" * has_several + f", {row.group}" * has_groups
            labels.append(escape(label))
        return labels

    def _describe_bars(self, rows: Sequence[Comparison]) -> str:
        """Return a description of the lengths of the bars."""
        metrics, text = {row.metric for row in rows}, "difference"
        if len(metrics) == 1 and None not in metrics:
            text += f" in {metrics.pop()}"
        baseline = getattr(self.comparisons, "baseline", None)
        return escape(text if baseline is None else f"{text} from {baseline}")

    def _draw_bars(self, rows: Sequence[Comparison]) -> Any:
        """Draw the differences, filled if they are significant."""
        ax = self.ax_
        meanings = {
            "significantly higher": HIGHER,
            "significantly lower": LOWER,
            "ranks significantly higher, mean lower": HIGHER,
            "ranks significantly lower, mean higher": LOWER,
            "not significant": {"facecolor": "none", "edgecolor": GREY},
        }
        bars = ax.barh(range(len(rows)), [row.difference for row in rows], height=0.6)
        seen = set()
        for bar, row in zip(bars, rows, strict=True):
            meaning = "not significant"
            if row.pvalue <= alpha_of(row.confidence_level) and row.direction:
                side = "higher" if row.direction > 0 else "lower"
                meaning = f"significantly {side}"
                if row.direction * row.difference < 0:
                    mean = "lower" if row.direction > 0 else "higher"
                    meaning = f"ranks significantly {side}, mean {mean}"
            seen.add(meaning)
            bar.set(**meanings[meaning])
        for meaning, style in meanings.items():
            if meaning in seen:
                ax.fill_between([], [], [], label=meaning, **style)
        return bars

    def _write_labels(self, rows: Sequence[Comparison], labels: Sequence[str]) -> bool:
        """Write the names of the bars, and their numbers beside them or below the names.

        Return whether they are beside them.
        """
        ax, ink = self.ax_, ink_of(self.ax_)
        numbers = []
        for row in rows:
            pvalue = "p undefined" if np.isnan(row.pvalue) else f"p = {row.pvalue:.4f}"
            pvalue = "p < 0.0001" if row.pvalue < 1e-4 else pvalue
            numbers.append(f"{as_number(row.difference)}, {pvalue}")
        at = {"xycoords": ax.get_yaxis_transform(), "va": "center", "annotation_clip": False}
        beside = [ax.annotate(text, (1.01, y), color=ink, **at) for y, text in enumerate(numbers)]
        names = fill_names(labels, ax)
        ax.set_yticks(range(len(rows)), names)
        lay_out(ax)
        of_row = room_of(ax)[1] / len(rows) / max(name.count("\n") + 1 for name in names)
        if has_layout(ax) and room_of(ax)[0] >= NARROW and of_row >= INCHES_PER_LINE:
            return True
        for each in beside:
            each.remove()
        both = [f"{name}\n{number}" for name, number in zip(names, numbers, strict=True)]
        ax.set_yticks(range(len(rows)), both)
        ticks = ax.get_yticklabels()
        widest = max(inches_of(tick)[0] for tick in ticks)
        shrink = min(LABEL_SHARE * share_of(ax)[0] / widest, 1)
        ax.tick_params(axis="y", labelsize=max(shrink * ticks[0].get_fontsize(), SMALLEST))
        lay_out(ax)
        return False

    def _shrink_labels(self, labels: Sequence[str]) -> bool:
        """Shrink names and numbers to the height of the bars. Return whether both fit."""
        ax, size = self.ax_, size_of_names(self.ax_)
        if size < SMALLEST:
            ax.set_yticks(range(len(labels)), fill_names(labels, ax))
        ax.tick_params(axis="y", labelsize=max(size, SMALLEST))
        return size >= SMALLEST
