"""The plot of the questions that are answered or refused, against a threshold."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import describe
from ranking_scores.plotting._layout import (
    axes_for,
    axes_or_new,
    draw_curve,
    draw_legend,
    filled,
    pyplot_for,
    write_below,
    write_beside,
)
from ranking_scores.unanswerable._answer_curve import AnswerCurve


class AnswerCurveDisplay:
    """Plot of the questions that are answered or refused, against a threshold.

    One curve has the share of the questions without an answer that are answered, and falls. The
    other one has the share of the questions with an answer that are refused, and rises. Both
    should be low.

    Parameters
    ----------
    curve : AnswerCurve
        The result of `ranking_scores.unanswerable.answer_curve`.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    answered_ : matplotlib.lines.Line2D
        The curve of the questions without an answer that are answered.

    refused_ : matplotlib.lines.Line2D
        The curve of the questions with an answer that are refused.

    bands_ : list of matplotlib.collections.FillBetweenPolyCollection
        The confidence intervals of both curves.

    Raises
    ------
    ValueError, TypeError
        If `curve` is another object. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.unanswerable.answer_curve : Computes the curve.
    RankingCurveDisplay : Plots a score against its cutoff.

    Notes
    -----
    Between two scores of questions the shares do not change, so the curves have steps. The bands
    hold at each threshold by itself.

    Examples
    --------
    >>> from ranking_scores.unanswerable import answer_curve
    >>> from ranking_scores.plotting import AnswerCurveDisplay
    >>> curve = answer_curve([1, 1, 1, 0, 0], [0.9, 0.8, 0.5, 0.6, 0.2])
    >>> display = AnswerCurveDisplay(curve).plot()
    >>> display.answered_.get_label()
    'answered: share of 2 queries without an answer; 2 got a list'
    >>> display.refused_.get_ydata()
    array([0.        , 0.        , 0.33333333, 0.33333333, 0.66666667])
    """

    ax_: Any
    figure_: Any
    answered_: Any
    refused_: Any
    bands_: list[Any]

    def __init__(self, curve: AnswerCurve) -> None:
        if not isinstance(curve, AnswerCurve):
            expected = "a result of answer_curve"
            raise invalid("curve", "AnswerCurveDisplay", expected, describe(curve))
        self.curve = curve

    def plot(self, ax: Any = None) -> AnswerCurveDisplay:
        """Plot both curves, with their confidence intervals.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is above the axes. If the
            figure has no layout engine, the axes of its grid are moved once, so that no text is
            cut off.

        Returns
        -------
        display : AnswerCurveDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        function = "AnswerCurveDisplay.plot"
        pyplot = pyplot_for(function)
        labels = self.curve._notes()[:2]
        with axes_or_new(ax, partial(axes_for, labels, pyplot), function) as self.ax_:
            self._draw(labels)
        return self

    def _draw(self, labels: list[str]) -> None:
        """Draw everything on the axes. The entries of the legend are given."""
        found, ax = self.curve, self.ax_
        self.figure_ = ax.figure
        order = np.argsort(found.threshold, kind="stable")
        threshold = found.threshold[order]
        lines, self.bands_ = [], []
        for name, label in zip(("answered", "refused"), labels, strict=True):
            share, low, high = (
                getattr(found, f"{name}{end}")[order] for end in ("", "_low", "_high")
            )
            # A share holds from the threshold before, whose question it leaves out, to its own.
            style = {"label": label, "drawstyle": "steps-pre"}
            style |= {"marker": "o" if len(found) == 1 else ""}
            line = draw_curve(ax, threshold, share, style)
            band = filled(line.get_color(), ax)
            self.bands_.append(ax.fill_between(threshold, low, high, step="pre", **band))
            lines.append(line)
        self.answered_, self.refused_ = lines
        ax.set_ylim(-0.02, 1.02)
        write_below("threshold: a query is answered if its score is at least this", ax)
        write_beside("share of the queries", ax)
        draw_legend(ax, is_beside=False, title=found._notes()[-1], alignment="left")
