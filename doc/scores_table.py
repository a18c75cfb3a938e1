"""Write the table of the scores, their parameters and the layouts that they take, for the guide.

As an extension of Sphinx this module writes ``_tables/scores.inc`` before the pages are read. The
parameters come from the signatures of the scores, and the layouts from calls.

As a script it adds new scores to the list in the reference, where they get their pages from::

    python doc/scores_table.py
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

import ranking_scores
from ranking_scores.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAMES = [
    name
    for name in ranking_scores.__all__
    if name.endswith("_score") or name == "average_relevant_position"
]
SHARED = {
    "y_true",
    "y_score",
    "qid",
    "labels",
    "where",
    "sample_weight",
    "average",
    "ignore_ties",
    "relevance_threshold",
}
"""The parameters of most scores. A score that lacks one says so."""
LABELS, SCORES = np.array([[0, 1, 2], [1, 0, 0]]), np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
LAYOUTS: dict[str, dict[str, Any]] = {
    "dense": {"y_true": LABELS, "y_score": SCORES},
    "dense with ``where``": {"y_true": LABELS, "y_score": SCORES, "where": LABELS < 2},
    "sparse labels": {"y_true": csr_array(LABELS), "y_score": SCORES},
    "ragged": {"y_true": LABELS.ravel(), "y_score": SCORES.ravel(), "qid": np.arange(6) // 3},
    "class labels": {"y_true": np.array([0, 2]), "y_score": SCORES, "labels": [0, 1, 2]},
    "retrieved": {"y_true": csr_array(LABELS), "y_score": csr_array(SCORES)},
}
"""Two queries in each layout. List columns are ragged rows in another form."""


NEEDED = {"k": 2, "max_grade": 2}
"""Values of parameters that a score may need beside the data."""


def refused_layouts(score: Callable[..., Any]) -> Iterator[str]:
    """Yield the layouts that a score refuses."""
    parameters = inspect.signature(score).parameters
    options = {name: value for name, value in NEEDED.items() if name in parameters}
    for layout, data in LAYOUTS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                score(**data, **options)
        except InvalidParameterError:
            yield layout


def row(name: str) -> list[str]:
    """Return the cells of a score."""
    score = getattr(ranking_scores, name)
    parameters = dict(inspect.signature(score).parameters)
    cutoff = parameters.pop("k", None)
    undefined = parameters.pop("replace_undefined_by", None)
    own = [f"``{each}``" for each in parameters if each not in SHARED]
    own += [f"no ``{each}``" for each in sorted(SHARED - parameters.keys())]
    refused = ", ".join(refused_layouts(score))
    if cutoff is None:
        takes_k = "none"
    else:
        takes_k = "needed" if cutoff.default is cutoff.empty else "optional"
    if undefined is None:
        counts = "never"
    else:
        counts = "left out" if math.isnan(undefined.default) else f"counts {undefined.default:g}"
    layouts = f"all but {refused}" if refused else "all"
    return [f":func:`~ranking_scores.{name}`", takes_k, ", ".join(own), layouts, counts]


HEAD = ["score", "``k``", "parameters of its own", "layouts", "an undefined query"]


def text() -> str:
    """Return the table."""
    rows = [HEAD, *map(row, NAMES)]
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 30 11 31 14 14", ""]
    for cells in rows:
        lines += [f"   {'*' if not number else ' '} - {cell}" for number, cell in enumerate(cells)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def write(app: Sphinx) -> None:
    """Write the table if it is not there yet, or has changed."""
    path, new = Path(app.srcdir, "_tables", "scores.inc"), text()
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != new:
        path.write_text(new, encoding="utf-8")


LIST = """Scores
------

.. autosummary::
   :toctree: generated
   :nosignatures:

"""
"""What is above the names of the scores in the reference."""


def with_all_names(reference: str) -> str:
    """Return the reference with all scores, those that it lacks at the end of its list."""
    above, start, below = reference.partition(LIST)
    listed, end, below = below.partition("\n\n")
    lines = dict.fromkeys([*listed.split("\n"), *(f"   {name}" for name in NAMES)])
    return above + start + "\n".join(lines) + end + below


def setup(app: Sphinx) -> dict[str, bool]:
    """Write when a build begins."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    page = Path(__file__).with_name("reference.rst")
    page.write_text(with_all_names(page.read_text(encoding="utf-8")), encoding="utf-8")
