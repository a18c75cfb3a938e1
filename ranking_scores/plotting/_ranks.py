"""The plot of the ranks that systems can have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import count
from math import ceil
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
    SMALLEST,
    as_number,
    axes_or_new,
    draw_legend,
    escape,
    fill,
    fill_names,
    ink_of,
    lay_out,
    new_axes,
    pyplot_for,
    size_of_names,
    ticks_for,
    write_below,
)
from ranking_scores.significance._comparisons import Comparisons
from ranking_scores.significance._results import Ranks

_HALF_A_RANK = 0.4
"""Half of the length of the bar of a single rank."""


class RanksDisplay:
    """Plot of the ranks that systems can have.

    The systems are sorted by their means, the best one first. Each has a bar from the best to the
    worst rank that it can have, and a mark at the rank of its mean. The bars of the first system
    and of all that cannot be separated from it are filled.

    Parameters
    ----------
    ranks : Ranks
        The ranks of a result of `ranking_scores.significance.compare_all`, which are its
        attribute `ranks`.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    bars_ : matplotlib.container.BarContainer
        The bars, with the first system at the top.

    means_ : matplotlib.lines.Line2D
        The marks at the ranks of the means.

    Raises
    ------
    ValueError, TypeError
        If `ranks` is another object. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.significance.compare_all : Compares the systems.
    ComparisonDisplay : Plots the differences between the systems.

    Notes
    -----
    A system is significantly worse than another one if the corrected p-value of their difference
    is at most 1 minus the confidence level. The best rank is 1 plus the number of systems that are
    significantly better. The worst rank is the number of systems minus the number of those that
    are significantly worse.

    Examples
    --------
    >>> import numpy as np
    >>> from ranking_scores.plotting import RanksDisplay
    >>> from ranking_scores.significance import compare_all
    >>> rng = np.random.default_rng(0)
    >>> easy = rng.random(50)
    >>> scores = {"old": easy, "new": easy + rng.normal(0.2, 0.2, 50)}
    >>> scores["other"] = easy + rng.normal(0.2, 0.2, 50)
    >>> display = RanksDisplay(compare_all(scores, random_state=0).ranks).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['new, 0.7...', 'other, 0.7...', 'old, 0.5...']
    >>> display.ax_.get_xlabel()
    'rank, the best is 1'
    """

    ax_: Any
    figure_: Any
    bars_: Any
    means_: Any

    def __init__(self, ranks: Ranks) -> None:
        if not isinstance(ranks, Ranks):
            is_whole = isinstance(ranks, Comparisons)
            got = "Comparisons" if is_whole else describe(ranks)
            advice = "They are its attribute `ranks`." if is_whole else ""
            expected = "the ranks of a result of compare_all"
            raise invalid("ranks", "RanksDisplay", expected, got, advice)
        self.ranks = ranks

    def plot(self, ax: Any = None) -> RanksDisplay:
        """Plot the ranks.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is above the axes. If the
            figure has no layout engine, the axes of its grid are moved once, so that no text is
            cut off. If there is too little room for all names, some are left out.

        Returns
        -------
        display : RanksDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        function = "RanksDisplay.plot"
        pyplot = pyplot_for(function)
        labels = self._labels()
        width, height = pyplot.rcParams["figure.figsize"]
        n_lines = max(fill(label, LABEL_SHARE * width).count("\n") + 1 for label in labels)
        size = width, max(height / 2, INCHES_PER_LINE * (n_lines * len(labels) + 8))
        with axes_or_new(ax, partial(new_axes, size, pyplot), function) as self.ax_:
            self._draw(labels)
        return self

    def _labels(self) -> list[str]:
        """Return the name and the mean of each row."""
        found = self.ranks
        columns: list[Sequence[Any]] = [found.systems]
        for names in (found.metrics or (), found.groups or ()):
            columns += [names] * (len(set(names)) > 1)
        columns.append(list(map(as_number, found.mean.tolist())))
        return [escape(", ".join(map(str, row))) for row in zip(*columns, strict=True)]

    def _draw(self, labels: Sequence[str]) -> None:
        """Draw everything on the axes."""
        found, ax = self.ranks, self.ax_
        self.figure_ = ax.figure
        rows = range(len(found))
        length = found.worst - found.best + 2 * _HALF_A_RANK
        self.bars_ = ax.barh(rows, length, left=found.best - _HALF_A_RANK, height=0.6)
        styles = [
            ("cannot be separated from the first", HIGHER),
            ("significantly worse", {"facecolor": "none", "edgecolor": GREY}),
        ]
        is_below = (found.tier > 1).tolist()
        for bar, number in zip(self.bars_, is_below, strict=True):
            bar.set(**styles[number][1])
        for number in sorted({*is_below}):
            label, style = styles[number]
            ax.fill_between([], [], [], label=label, **style)
        mark = {"marker": "|", "markersize": 8, "markeredgewidth": 1.5, "linestyle": "none"}
        [self.means_] = ax.plot(
            self._ranks_of_means(), rows, color=ink_of(ax), label="rank of the mean", **mark
        )
        ax.set_ylim(len(found) - 0.4, -0.6)
        lowest = int(found.worst.max())
        ax.set_xlim(1 - 1.5 * _HALF_A_RANK, lowest + 1.5 * _HALF_A_RANK)
        ax.set_xticks(ticks_for(np.arange(1, lowest + 1), is_log=False))
        ax.set_yticks(rows, fill_names(labels, ax))
        write_below("rank, the best is 1", ax)
        level = as_percent(found.confidence_level)
        draw_legend(ax, is_beside=False, title=f"ranks, all at once at {level}", alignment="left")
        self._shrink_labels()
        lay_out(ax)

    def _ranks_of_means(self) -> list[int]:
        """Return the rank of the mean of each row. Each metric and group is sorted."""
        found = self.ranks
        nothing = [None] * len(found)
        parts = zip(found.metrics or nothing, found.groups or nothing, strict=True)
        ranks: dict[Any, count[int]] = {}
        return [next(ranks.setdefault(part, count(1))) for part in parts]

    def _shrink_labels(self) -> None:
        """Shrink the names to the height of the bars, or leave out some of them."""
        ax, size = self.ax_, size_of_names(self.ax_)
        if size < SMALLEST:
            step = ceil(SMALLEST / size)
            names = [tick.get_text() for tick in ax.get_yticklabels()]
            ax.set_yticks(range(0, len(names), step), names[::step])
        ax.tick_params(axis="y", labelsize=max(size, SMALLEST))
