"""Rows sorted by query, or the rows of some queries, with all parameters that belong to them."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing

from ranking_scores._base import Runs, describe, invalid, stable_order
from ranking_scores._rankers._forms import FIT, last_of

Positions = NDArray[np.intp]

OF_ROWS = (
    "base_margin",
    "baseline",
    "group_weight",
    "init_score",
    "sample_weight",
    "subgroup_id",
)
"""The parameters of ``fit`` with one value per row, of any of the three libraries."""
_NUMBER_ROWS = ("graph", "pairs", "pairs_weight")
"""The parameters that refer to rows by number."""
_OF_OTHERS = (
    "base_margin_eval_set",
    "callbacks",
    "cat_features",
    "categorical_feature",
    "embedding_features",
    "feature_name",
    "feature_weights",
    "sample_weight_eval_set",
    "text_features",
)
"""The parameters that do not concern the rows, like all that begin with ``eval_``."""


class Part(NamedTuple):
    """Some rows of the data, sorted by query."""

    rows: Positions | None
    """The places of the rows; None: all rows as they are, which are sorted."""
    runs: Runs
    """The queries of these rows, in their order."""


def in_order(runs: Runs) -> Part:
    """Return all rows sorted by query. The rows of a query keep their order."""
    if (np.diff(runs.which) >= 0).all():
        return Part(None, runs)
    return Part(stable_order(runs.which_of_row), _in_order(runs.ids, runs.sizes))


def hold_out(part: Part, fraction: float, random_state: Any) -> tuple[Part, Part]:
    """Return the rows of some queries, drawn at random, and those of the other queries."""
    ids, sizes = part.runs.ids, part.runs.sizes
    try:
        kept, _ = train_test_split(
            np.arange(ids.size), test_size=fraction, random_state=random_state
        )
    except ValueError as error:  # none would be left
        expected = "such that the queries that are not held out are at least one"
        got = f"{fraction} of {ids.size} quer{'y' if ids.size == 1 else 'ies'}"
        raise invalid("validation_fraction", FIT, expected, got) from error
    is_kept = np.isin(np.arange(ids.size), kept)
    rows = np.arange(part.runs.n_rows) if part.rows is None else part.rows
    is_row_kept = np.repeat(is_kept, sizes)
    return (
        Part(rows[is_row_kept], _in_order(ids[is_kept], sizes[is_kept])),
        Part(rows[~is_row_kept], _in_order(ids[~is_kept], sizes[~is_kept])),
    )


def _in_order(ids: NDArray[Any], sizes: Positions) -> Runs:
    """Return the queries of sorted rows."""
    return Runs(ids, np.arange(ids.size), np.cumsum(sizes) - sizes, sizes)


def take(values: Any, rows: Positions | None) -> Any:
    """Return the values of some rows. None: all values as they are."""
    if values is None or rows is None:
        return values
    return _safe_indexing(values.tocsr() if issparse(values) else values, rows)


def take_params(fit_params: dict[str, Any], rows: Positions | None, n_rows: int) -> dict[str, Any]:
    """Return the parameters of ``fit`` for some of `n_rows` rows. None: all rows as they are."""
    if rows is None:
        return fit_params
    expected = "left out if rows have to be sorted by query"
    advice = "Sort the rows by query first. Then it is passed on unchanged."
    if rows.size < n_rows:
        expected = "left out if `validation_fraction` holds out rows"
        advice = "Hold out queries yourself, and pass them as `eval_set`."
    taken = dict(fit_params)
    for name, value in fit_params.items():
        last = last_of(name)
        if value is None or last in _OF_OTHERS or last.startswith("eval_"):
            continue
        if last in OF_ROWS:
            check_entries(name, value, n_rows)
            taken[name] = take(value, rows)
        elif last in _NUMBER_ROWS or _n_entries(value) == n_rows:
            numbers_rows = last in _NUMBER_ROWS
            why = "refers to rows by number" if numbers_rows else "may be one value per row"
            raise invalid(name, FIT, f"{expected}, since it {why}", describe(value), advice)
    return taken


def check_entries(name: str, value: Any, n_rows: int) -> None:
    """Raise unless a parameter has one value per row."""
    if _n_entries(value) != n_rows:
        expected = f"an array of {n_rows} entries, one per row"
        raise invalid(name, FIT, expected, describe(value))


def _n_entries(value: Any) -> int | None:
    """Return the number of entries of an array, a frame or a list, and None for the rest."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return shape[0] if shape else None
    return len(value) if isinstance(value, Sized) and not isinstance(value, str) else None
