"""What the displays share: styles, sizes of figures and legends, and text that fits into them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import import_extra, invalid
from ranking_scores._base._results import as_cell
from ranking_scores._base._validation import describe

Floats = NDArray[np.float64]

_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
"""The colours of Okabe and Ito that are visible on white and on black."""
_LINES: tuple[Any, ...] = ("-", "--", "-.", (0, (8, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# The lengths of these three differ, so that a combination repeats only after 120 curves.
GREY = "0.5"
HIGHER: dict[str, Any] = {"facecolor": _COLORS[0], "edgecolor": _COLORS[0]}
LOWER: dict[str, Any] = {"facecolor": _COLORS[3], "edgecolor": _COLORS[1], "hatch": "//"}
HATCHED: dict[str, Any] = {"facecolor": "none", "hatch": "////", "alpha": 0.8, "linewidth": 0}
DOTTED: dict[str, Any] = HATCHED | {"hatch": ".."}
THIN: dict[str, Any] = {"alpha": 0.7, "linewidth": 1}
ERROR_BAR: dict[str, Any] = {"linestyle": "-", "linewidth": 1.5, "marker": "_", "markersize": 12}
CURVE = "ranking_scores.curve"
"""The mark of curves, by which the next curve on the same axes finds an unused style."""
_N_MARKERS = 8
"""The approximate number of markers of a curve."""
_LEGEND_CHARACTERS = 44
"""The greatest number of characters in a line of the legend."""
_LEAST_CHARACTERS = 16
"""The least number of characters in a line beside or below the axes."""
_OWN_ENTRY_CHARACTERS = 36
"""The length of the longest entry of a legend that is not the name of a model."""
_MOST_LINES = 4
"""The greatest number of lines of a label. The rest of a longer one is left out."""
_NO_BREAK = "\N{NO-BREAK SPACE}"
INCHES_PER_CHARACTER, INCHES_PER_LINE = 0.09, 0.22
NARROW = 2.5
"""The least width of axes beside a legend, in inches."""
_HIGHEST_FIGURE = 9
"""The greatest height of a new figure, in inches."""
LABEL_SHARE = 0.4
"""The largest share of the figure's width for the names of bars."""
SMALLEST, _READABLE = 5, 7
"""The smallest size of text, and the smallest if there is enough room, in points."""
_NARROW_FIGURE = 4.5
"""The text of figures that are narrower than this, in inches, is smaller."""
_MOST_LABELLED_CUTOFFS = 12
"""The greatest number of cutoffs that all have a tick label."""
_LOG_STEP_RATIO = 5
"""The scale is logarithmic if the largest step between cutoffs exceeds this times the smallest."""
_LOG_RANGE_RATIO = 100
"""The scale of many cutoffs is logarithmic if the last exceeds this times the first."""


def pyplot_for(function: str) -> Any:
    """Return matplotlib.pyplot, which is imported only for plots."""
    return import_extra("matplotlib.pyplot", "plot", function)


def for_each(given: Any, parameter: str, kind: type, n_curves: int, function: str) -> list[Any]:
    """Return the argument for each curve, given once for all of them or as a list."""
    if given is None or (isinstance(given, kind) and given != ""):
        return [given] * n_curves
    is_list = isinstance(given, Sequence) and len(given) == n_curves
    if not is_list or not all(isinstance(each, kind) and each != "" for each in given):
        one, several = ("a dict", "dict") if kind is dict else ("a non-empty string", "string")
        several += "" if n_curves == 1 else "s"
        expected = f"{one}, or a list of {n_curves} {several}, one per curve"
        raise invalid(parameter, function, expected, describe(given))
    return list(given)


@contextmanager
def axes_or_new(ax: Any, make: Callable[[], Any], function: str) -> Iterator[Any]:
    """Yield the axes to draw on, whose text fits. If drawing fails, a new figure is closed."""
    from matplotlib import pyplot
    from matplotlib.axes import Axes

    if ax is not None:
        if not isinstance(ax, Axes):
            raise invalid("ax", function, "a matplotlib Axes or None", describe(ax))
        _shrink_text(ax)
        yield ax
        return
    ax = make()
    try:
        _shrink_text(ax)
        yield ax
    except BaseException:
        pyplot.close(ax.figure)
        raise


def axes_for(labels: Sequence[str], pyplot: Any) -> Any:
    """Return the axes of a new figure that is large enough for the labels of its legend."""
    width, height = pyplot.rcParams["figure.figsize"]
    lines = [line for label in labels for line in label.split("\n")]
    widest = max([_OWN_ENTRY_CHARACTERS, *map(len, lines)])
    wanted = min(INCHES_PER_LINE * (len(lines) + 5), _HIGHEST_FIGURE)
    return new_axes((width + INCHES_PER_CHARACTER * widest, max(height, wanted)), pyplot)


def new_axes(size: tuple[float, float], pyplot: Any) -> Any:
    """Return the axes of a new figure."""
    return pyplot.figure(figsize=size, layout="tight").add_subplot()


def draw_legend(ax: Any, *, is_beside: bool = True, **style: Any) -> None:
    """Draw the legend beside the axes or above them, where it covers no data.

    It takes at most a third of the figure. The text is as large as this allows. If even the
    smallest text is too large, the last entries are left out, and their number is written.
    """
    from matplotlib.lines import Line2D

    lay_out(ax)
    handles, labels = ax.get_legend_handles_labels()
    style = {"handlelength": 3, "borderaxespad": 0} | style
    if not has_layout(ax):
        ax.legend(loc="best", **style)
        return
    largest = _size_in_points("legend.fontsize", ax)
    sizes = np.arange(largest, min(largest, SMALLEST) - 0.1, -0.5).tolist()
    for size in sizes:
        for n_columns in (1, 2, 3) if is_beside else (3, 2, 1):
            sized = style | {"fontsize": size, "title_fontsize": size, "ncols": n_columns}
            if _place_legend(ax, handles, labels, is_beside, sized):
                return
    for n_shown in range(len(labels) - 1, 0, -1):
        entries = [*labels[:n_shown], f"and {len(labels) - n_shown} more"]
        pictures = [*handles[:n_shown], Line2D([], [], alpha=0)]
        sized = style | {"fontsize": sizes[-1], "title_fontsize": sizes[-1]}
        if _place_legend(ax, pictures, entries, is_beside, sized):
            return


def _place_legend(ax: Any, handles: Any, labels: Any, is_beside: bool, style: Any) -> bool:
    """Draw a legend where it fits, and return whether it does."""
    ax.legend(handles, labels, loc="upper left", **style)
    width, height = inches_of(ax.get_legend())
    own_width, own_height = share_of(ax)
    room = room_of(ax)
    is_alone = own_width == inches_of(ax.figure)[0]
    fits_beside = is_beside and is_alone and width <= own_width / 3 and height <= room[1]
    if fits_beside and own_width - width >= NARROW:
        ax.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1), **style)
    elif width <= room[0] and height <= own_height / 3:
        ax.legend(handles, labels, loc="lower left", bbox_to_anchor=(0, 1.01), **style)
    else:
        return False
    lay_out(ax)
    return True


def has_layout(ax: Any) -> bool:
    """Return whether room can be made for artists outside the axes."""
    return ax.get_subplotspec() is not None


def lay_out(ax: Any) -> None:
    """Give the axes their final size, with room for all text around them.

    A figure without a layout engine is laid out once, and stays without one. It is laid out as
    `tight_layout` does, which would else cut the legend off, but not if it has SubFigures.
    """
    figure = ax.figure.canvas.figure  # the top figure, if there are SubFigures
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
    elif has_layout(ax):
        from matplotlib.layout_engine import (
            ConstrainedLayoutEngine as Constrained,
            TightLayoutEngine as Tight,
        )

        # With less padding, `tight_layout` with its own, 1.08, would not find enough room.
        engine = Tight(pad=0.7) if ax.figure is figure else Constrained()
        for _ in range(2):  # axes of another size may have other ticks
            engine.execute(figure)


def share_of(ax: Any) -> Floats:
    """Return the width and the height of the part of the figure for these axes, in inches."""
    spec = ax.get_subplotspec()
    rows, columns = (1, 1) if spec is None else spec.get_gridspec().get_geometry()
    return inches_of(ax.figure) / (columns, rows)


def room_of(ax: Any) -> Floats:
    """Return the width and the height of the axes in inches."""
    return np.asarray(ax.bbox.size / ax.figure.dpi)


def inches_of(artist: Any) -> Floats:
    """Return the width and the height of an artist in inches."""
    return np.asarray(artist.get_window_extent().size / artist.figure.dpi)


def within_reach(ends: Floats, *others: Any) -> Floats:
    """Return limits of which the infinite ones are a little beyond all other numbers."""
    known = np.concatenate([np.ravel(numbers) for numbers in (0, ends, *others)])
    known = known[np.isfinite(known)]
    beyond = 0.1 * (np.ptp(known) or 1)
    return np.clip(ends, known.min() - beyond, known.max() + beyond)


def size_of_names(ax: Any) -> float:
    """Return the size of text in which the names of bars are as high as the bars, at most."""
    ticks = ax.get_yticklabels()
    highest = max(inches_of(tick)[1] for tick in ticks) * 1.1
    return float(ticks[0].get_fontsize() * min(room_of(ax)[1] / len(ticks) / highest, 1))


def _shrink_text(ax: Any) -> None:
    """Make the text around narrow axes smaller, as in a column of a paper."""
    size = _size_in_points("axes.labelsize", ax)
    if size < ax.xaxis.label.get_fontsize():
        ax.xaxis.label.set_fontsize(size)
        ax.yaxis.label.set_fontsize(size)
        ax.tick_params(labelsize=_size_in_points("xtick.labelsize", ax))


def _size_in_points(setting: Any, ax: Any) -> float:
    """Return the size of text that matplotlib is set to, or a smaller one for narrow axes."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size=rcParams[setting]).get_size_in_points()
    shrink = min(share_of(ax)[0] / _NARROW_FIGURE, 1)
    return float(max(size * shrink, min(size, _READABLE)))


def fill(text: str, width: float, size: float = 10) -> str:
    """Return a text in a few lines of a width in inches, given its size in points."""
    n_characters = max(int(width / INCHES_PER_CHARACTER * 10 / size), _LEAST_CHARACTERS)
    return textwrap.fill(text, n_characters, max_lines=_MOST_LINES, placeholder=" ...")


def fill_names(labels: Sequence[str], ax: Any) -> list[str]:
    """Return the names of bars, in lines."""
    size = ax.xaxis.label.get_fontsize()
    return [fill(label, LABEL_SHARE * share_of(ax)[0], size) for label in labels]


def write_below(text: str, ax: Any) -> None:
    """Label the x axis, with several lines if the text is wider than the axes."""
    lines = fill(text, room_of(ax)[0], ax.xaxis.label.get_fontsize())
    ax.set_xlabel(lines if has_layout(ax) else text)


def write_beside(text: str, ax: Any, **style: Any) -> None:
    """Label the y axis, with several lines if the text is long beside the figure."""
    lines = fill(text, 0.6 * share_of(ax)[1], ax.yaxis.label.get_fontsize())
    ax.set_ylabel(lines if has_layout(ax) else text, **style)


def as_number(value: float) -> str:
    """Return a number as text, with the minus sign of the ticks."""
    from matplotlib import rcParams

    minus = "\N{MINUS SIGN}" if rcParams["axes.unicode_minus"] else "-"
    return as_cell(value).replace("-", minus)


def widen_single(k: NDArray[Any], *values: Floats) -> list[NDArray[Any]]:
    """Return the values at each cutoff. A single cutoff is widened, so that it is visible."""
    if k.size > 1:
        return [k, *values]
    return [k + np.array([-0.25, 0.25]), *(np.repeat(value, 2) for value in values)]


def entry_of(name: str | None, value: str) -> str:
    """Return an entry of the legend, wrapped."""
    if name is None:
        return value
    # The part after the name stays on one line.
    return wrap(f"{name} ({value.replace(' ', _NO_BREAK)})").replace(_NO_BREAK, " ")


def wrap(text: str) -> str:
    """Return a text, wrapped."""
    return escape(textwrap.fill(text, _LEGEND_CHARACTERS))


def escape(text: str) -> str:
    """Return a text such that matplotlib shows it unchanged.

    Otherwise matplotlib reads text between dollars as a formula, and leaves labels that begin
    with an underscore out of a legend.
    """
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def ink_of(ax: Any) -> Any:
    """Return the colour of the labels of the axes."""
    return ax.xaxis.label.get_color()


def filled(color: Any, ax: Any) -> dict[str, Any]:
    """Return the style of a band whose edges stay visible if other bands cross it."""
    from matplotlib.colors import to_rgb, to_rgba

    is_dark = np.dot(to_rgb(ax.get_facecolor()), (0.299, 0.587, 0.114)) < 0.5
    face, edge = to_rgba(color, 0.4 if is_dark else 0.2), to_rgba(color, 1 if is_dark else 0.7)
    return {"facecolor": face, "edgecolor": edge, "linewidth": 0.7}


def new_label(ax: Any, label: str) -> str:
    """Return a label, or the label for no legend entry if the legend already has it."""
    return "_nolegend_" if label in ax.get_legend_handles_labels()[1] else label


def draw_curve(ax: Any, k: NDArray[Any], values: Floats, own: dict[str, Any]) -> Any:
    """Draw a curve in the next unused style of the axes, overridden by its own style."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    number = sum(line.get_gid() == CURVE for line in ax.lines)
    step = max(k.size // _N_MARKERS, 1)
    style = {
        "color": _COLORS[number % len(_COLORS)],
        "linestyle": _LINES[number % len(_LINES)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "markevery": (number % step, step),
        "gid": CURVE,
    }
    [line] = ax.plot(k, values, **style | normalize_kwargs(own, Line2D))
    return line


def are_far(k: NDArray[Any]) -> bool:
    """Return whether cutoffs need a logarithmic scale."""
    distances = np.diff(k)
    is_long = k.size > _MOST_LABELLED_CUTOFFS and k[-1] > _LOG_RANGE_RATIO * k[0]
    return is_long or (k.size > 2 and distances.max() > _LOG_STEP_RATIO * distances.min())


def tick_whole_numbers(ax: Any) -> None:
    """Label some whole numbers on the x axis."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))


def ticks_for(k: NDArray[Any], *, is_log: bool) -> list[float]:
    """Return the cutoffs with a tick label, including the first."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    if k.size <= _MOST_LABELLED_CUTOFFS:
        return list(k)
    steps = [1, 2, 5]
    integers = MaxNLocator(6, integer=True, steps=[*steps, 10])
    locator = LogLocator(subs=steps) if is_log else integers
    first, last = float(k[0]), float(k[-1])
    round_ones = [tick for tick in locator.tick_values(first, last) if first < tick <= last]
    # One that is too near to the first cutoff would touch it.
    nearest = 1.5 * first if is_log else first + (round_ones[1] - round_ones[0]) / 2
    return [first, *(tick for tick in round_ones if tick >= nearest)]
