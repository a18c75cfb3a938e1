"""The plot of scores over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking_scores._base._errors import invalid
from ranking_scores._base._results import as_percent
from ranking_scores._base._validation import describe
from ranking_scores.plotting._layout import (
    axes_for,
    axes_or_new,
    draw_curve,
    draw_legend,
    escape,
    filled,
    ink_of,
    lay_out,
    pyplot_for,
    ticks_for,
    write_below,
)
from ranking_scores.significance import History


class HistoryDisplay:
    """Plot of scores over time, with their confidence intervals.

    Each score has a line and a band, the confidence interval of its means. A mark is around each
    mean that differs significantly from the one before.

    Parameters
    ----------
    history : History
        The result of `ranking_scores.significance.history`.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    lines_ : list of matplotlib.lines.Line2D
        The line of each score.

    changes_ : matplotlib.lines.Line2D
        The marks.

    Raises
    ------
    ValueError, TypeError
        If `history` is another object. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.significance.history : Computes the history.

    Notes
    -----
    The band of a score is from ``low`` to ``high`` of the history.

    Examples
    --------
    >>> import numpy as np
    >>> from ranking_scores import ranking_report
    >>> from ranking_scores.plotting import HistoryDisplay
    >>> from ranking_scores.significance import history
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 3, (50, 10))
    >>> nights = {night: y_true + rng.normal(size=(50, 10)) for night in ("Mon", "Tue", "Wed")}
    >>> made = {key: ranking_report(y_true, own, scores="ndcg@3") for key, own in nights.items()}
    >>> display = HistoryDisplay(history(made)).plot()
    >>> [label.get_text() for label in display.ax_.get_xticklabels()]
    ['Mon', 'Tue', 'Wed']
    """

    ax_: Any
    figure_: Any
    lines_: list[Any]
    changes_: Any

    def __init__(self, history: History) -> None:
        if not isinstance(history, History):
            expected = "a result of history"
            raise invalid("history", "HistoryDisplay", expected, describe(history))
        self.history = history

    def plot(self, ax: Any = None) -> HistoryDisplay:
        """Plot the scores.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure, with a legend beside the axes.

        Returns
        -------
        display : HistoryDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        function, found = "HistoryDisplay.plot", self.history
        pyplot = pyplot_for(function)
        labels = [escape(name) for name in found.metrics]
        places = np.arange(len(found.reports))
        with axes_or_new(ax, lambda: axes_for(labels, pyplot), function) as self.ax_:
            self.figure_, self.lines_ = self.ax_.figure, []
            for column, label in enumerate(labels):
                line = draw_curve(self.ax_, places, found.mean[:, column], {"label": label})
                limits = found.low[:, column], found.high[:, column]
                self.ax_.fill_between(places, *limits, **filled(line.get_color(), self.ax_))
                self.lines_.append(line)
            marked, columns = np.nonzero(found.change != "")
            style = {"marker": "o", "markersize": 9, "fillstyle": "none", "linestyle": "none"}
            style |= {"color": ink_of(self.ax_), "label": "changed" if marked.size else None}
            [self.changes_] = self.ax_.plot(marked, found.mean[marked, columns], **style)
            ticks = [int(tick) - 1 for tick in ticks_for(places + 1, is_log=False)]
            self.ax_.set_xticks(ticks, [escape(found.reports[tick]) for tick in ticks])
            write_below(f"report, with {as_percent(found.confidence_level)} intervals", self.ax_)
            draw_legend(self.ax_)
            lay_out(self.ax_)
        return self
