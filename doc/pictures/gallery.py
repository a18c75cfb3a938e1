"""How the gallery is run: its figures become SVG, and a warning is an error."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import ExitStack
from typing import Any

import matplotlib as mpl
import numpy as np
import sklearn
from sphinx_gallery.scrapers import matplotlib_scraper

# Fits of a few rows take longer on several threads, most of all where other programs run too.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # which the workers of Spark run

ORDER = [
    "plot_two_data_frames.py",
    "plot_ties_in_six_libraries.py",
    "plot_is_b_better.py",
    "plot_three_models.py",
    "plot_tuning_a_ranker.py",
    "plot_recommender.py",
    "plot_passages_of_docstrings.py",
    "plot_vector_index.py",
    "plot_bfloat16.py",
    "plot_fifty_classes.py",
    "plot_streaming.py",
    "plot_parquet_to_spark.py",
]
_settings = ExitStack()


def save_svg(block: Any, block_vars: Any, gallery_conf: Any) -> str:
    """Save the open figures, the same bytes in each build, and return the text that shows them."""
    rst: str = matplotlib_scraper(
        block, block_vars, gallery_conf, format="svg", metadata={"Date": None}
    )
    return rst


def set_up(gallery_conf: Any, name: str, when: str) -> None:
    """Set what an example finds before it begins, and undo it when it has ended."""
    _settings.close()
    if when == "before":
        _settings.enter_context(warnings.catch_warnings(action="error"))
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
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
