"""How the gallery is run: its figures become SVG, and a warning is an error."""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import sklearn
from matplotlib.figure import Figure
from matplotlib.text import Text
from sphinx_gallery.scrapers import matplotlib_scraper

# Fits of a few rows take longer on several threads, most of all where other programs run too.
os.environ.setdefault("OMP_NUM_THREADS", "1")

ORDER = [
    "plot_three_models.py",
    "plot_recommender.py",
    "plot_passages_of_docstrings.py",
    "plot_tuning_a_ranker.py",
    "plot_fifty_classes.py",
]
INCHES, POINTS, LONGEST = (3.3, 2.2), 9, 18
"""The sizes of a thumbnail and of its text, which the page shows as they are, and the letters that
fit beside the y axis."""
_settings = ExitStack()


def save_svg(block: Any, block_vars: Any, gallery_conf: Any) -> str:
    """Save the open figures, the same bytes in each build, and return the text that shows them.

    The first image of an example is its thumbnail, and in no page.
    """
    thumbnails = []
    if plt.get_fignums() and len(paths := block_vars["image_path_iterator"]) == 0:
        thumbnails = [(plt.figure(plt.get_fignums()[0]), Path(next(paths)).with_suffix(".svg"))]
    rst: str = matplotlib_scraper(
        block, block_vars, gallery_conf, format="svg", metadata={"Date": None}
    )
    for figure, path in thumbnails:
        save_thumbnail(figure, path)
    return rst


def save_thumbnail(figure: Figure, path: Path) -> None:
    """Save a figure with short labels, so small that its text is as large as that of a page."""
    figure.set_size_inches(INCHES)
    for ax in figure.axes:
        ax.set(title="", ylabel=fill(ax.get_ylabel().partition(",")[0], LONGEST))
        ax.tick_params(labelsize=POINTS)
        if ax.get_legend() is not None:  # inside, with the names of lines alone
            labels = {line: str(line.get_label()).partition(" (")[0] for line in ax.lines}
            shown = {line: label for line, label in labels.items() if not label.startswith("_")}
            ax.legend([*shown], [*shown.values()], loc="best")
    for text in figure.findobj(lambda artist: isinstance(artist, Text)):
        text.set(fontsize=POINTS)
    figure.savefig(path, format="svg", metadata={"Date": None})


def set_up(gallery_conf: Any, name: str, when: str) -> None:
    """Set what an example finds before it begins, and undo it when it has ended."""
    _settings.close()
    if when == "before":
        _settings.enter_context(warnings.catch_warnings(action="error"))
        _settings.enter_context(np.printoptions(precision=4, suppress=True))
        _settings.enter_context(sklearn.config_context())
        mpl.rcParams |= {
            "axes.facecolor": "none",
            "figure.facecolor": "none",
            "figure.figsize": (7, 4.2),
            "figure.constrained_layout.use": True,
            "savefig.facecolor": "none",
            "svg.hashsalt": "gallery",
        }


class InOrder:
    """Sorts the examples as the gallery shows them; one without a place is an error."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, name: str) -> int:
        """Return the place of an example."""
        return ORDER.index(name)
