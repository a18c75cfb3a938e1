"""Two small tables, the names of their columns, and what is in them when they are joined."""

from __future__ import annotations

import datetime
import warnings

import polars as pl
import pytest
from read_at_once import from_tables

from ranking_scores.exceptions import InvalidParameterError

TOLERANCE = 1e-12  # as in test_reference: the same terms in float64, in another order
JUDGMENTS = {"q": ["a", "a", "b"], "i": ["x", "y", "x"], "g": [1, 2, 0]}
PREDICTIONS = {"q": ["a", "b", "b"], "i": ["x", "z", "x"], "s": [0.5, 0.2, 0.3]}
NAMES = {"query": "q", "item": "i", "label": "g", "score": "s"}
DAY = datetime.date(2024, 2, 27)
NO_ID = "Drop such rows, or give them an id."
PAIR = (
    "If the two tables have different names for it, pass a pair: "
    "`{}=(in judgments, in predictions)`."
)
EXPLODE = "Make one row of each value first, for example with `.explode`."


def by_id(data):
    """Return the labels and the scores by the ids of their query and their item."""
    return [
        {
            (data.query_ids[row], data.item_ids[column]): value
            for row, column, value in zip(*array.tocoo().coords, array.data, strict=True)
        }
        for array in (data.y_true, data.y_score)
    ]


def as_bits(data):
    """Return all that is in the arrays."""
    arrays = [
        (array.data.dtype, array.data.tobytes(), array.indices.tolist(), array.indptr.tolist())
        for array in (data.y_true, data.y_score)
    ]
    return arrays, data.query_ids.tolist(), data.item_ids.tolist()


def as_polars_categories(columns):
    frame = pl.DataFrame(columns)
    texts = [name for name in ("q", "i") if frame[name].dtype == pl.String]
    return frame.with_columns(pl.col(texts).cast(pl.Categorical)) if texts else frame


def joined_quietly(*args, **params):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No judged item")
        return from_tables(*args, **params)


def check_message(parameter, message, function, *args, **params):
    with pytest.raises(InvalidParameterError) as caught:
        function(*args, **params)
    expected = f"The '{parameter}' parameter of {function.__name__} {message}"
    assert str(caught.value) == expected
