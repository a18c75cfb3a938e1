"""List columns: one query per row, of any length, as in event logs and Parquet files.

They are `pyarrow` arrays of lists (chunked or not, sliced or not), `pandas` series that hold such
an array, and `polars` series of lists or arrays. No such library is imported: a caller with a
column has imported it.
"""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place
from ranking_scores._base._validation import check_exact, describe
from ranking_scores._queries._blocks import (
    NOT_JUDGED,
    NOT_RETRIEVED,
    CheckedQueries,
    Positions,
    groups_of_lengths,
)
from ranking_scores._queries._counting import about_nonzero, most_labelled
from ranking_scores._queries._data import (
    CallData,
    DataNeeds,
    column_of_library,
    is_list_column,
    warn_if_swapped,
)
from ranking_scores._queries._ragged import RaggedLayout

_REFUSED = {
    "qid": "Each row is a query. Pass flat columns if `qid` gives the query of each row.",
    "labels": "Pass a dense y_score with one column per class.",
    "where": "Filter the lists instead.",
}
_DROP = "Drop items that take no part from the lists of both labels and scores."
_ADVICE = {
    "y_true": f"{_DROP} {NOT_JUDGED}",
    "y_score": (
        f"{_DROP} {NOT_RETRIEVED} A sparse y_score stores only the items that were retrieved."
    ),
}
_NUMBERS = r"u?int(8|16|32|64)|float(16|32|64)?|halffloat|double|bool(ean)?|null"
"""The types of the values of lists in pyarrow and polars. Empty lists have the type null."""


class ListColumns(NamedTuple):
    """A column of lists as one array."""

    values: NDArray[Any]
    """The values of all lists, one list after the other."""
    length: Positions
    """The number of values in each list."""


def check(data: CallData, need: DataNeeds) -> CheckedQueries:
    """Return the queries in the rows of list columns."""
    data.refuse(_REFUSED, "the columns hold lists")
    labels = read_lists(data, "y_true", may_be_null=need.accepts_nan)
    scores = read_lists(data, "y_score")
    if not labels.length.size:
        raise data.invalid("y_true", "a column with at least one row", "an empty column")
    _check_same_lengths(data, "y_score", scores, labels)
    item_weight = None
    if data.item_weight is not None:
        weights = read_lists(data, "item_weight")
        _check_same_lengths(data, "item_weight", weights, labels)
        item_weight = weights.values
    weight = data.weight_of_each(labels.length.size)
    groups = groups_of_lengths(labels.length)
    values = labels.values, scores.values

    def place(query: int) -> Place:
        return Place(query=query)

    layout = RaggedLayout(data, *values, groups, item_weight, place, _ADVICE, need)
    longest = int(labels.length.max())
    n_cells, are_single = max(longest, 1), longest == 1
    most = most_labelled((groups.length.size, n_cells), need)
    need = need.to_count(most, partial(about_nonzero, labels.values))
    warn_if_swapped(*values, data.function)
    return CheckedQueries(
        groups.length.size, n_cells, n_cells, weight, layout, need, are_single=are_single
    )


def read_lists(data: CallData, parameter: str, *, may_be_null: bool = False) -> ListColumns:
    """Return the lists of a parameter, in one array, perhaps with NaN for values that are null."""
    column = getattr(data, parameter)
    if isinstance(column, ListColumns):
        return column
    if not is_list_column(column):
        other = "y_true" if is_list_column(data.y_true) else "y_score"
        expected = f"a column of lists, like {other}"
        raise data.invalid(parameter, expected, describe(column))
    column = column_of_library(column)
    is_arrow = hasattr(column, "type")
    type_of_list = column.type if is_arrow else column.dtype
    type_of_value = type_of_list.value_type if is_arrow else type_of_list.inner
    if not re.fullmatch(_NUMBERS, str(type_of_value), re.IGNORECASE):
        expected = "a column of lists of bools, ints or floats"
        raise data.invalid(parameter, expected, str(type_of_list))
    flat, length = flatten(column)
    null_lists, null_values = (
        each.null_count if is_arrow else each.null_count() for each in (column, flat)
    )
    if null_values and may_be_null and not null_lists:
        return ListColumns(_with_nan(flat, data, parameter), length)
    n_null = null_lists + (0 if may_be_null else null_values)
    if n_null:
        expected = "without lists that are null" if may_be_null else "without nulls"
        advice = "Fill them, or drop them from the lists of both labels and scores."
        got = f"{n_null} null{'s' if n_null > 1 else ''}"
        raise data.invalid(parameter, expected, got, advice)
    # If all lists are empty, the type of their values is often not known.
    return ListColumns(np.asarray(flat) if len(flat) else np.empty(0), length)


def _with_nan(flat: Any, data: CallData, parameter: str) -> NDArray[Any]:
    """Return values as floats, NaN where they are null."""
    if hasattr(flat, "type"):
        is_null, numbers = np.asarray(flat.is_null()), np.asarray(flat.drop_null())
    else:
        is_null, numbers = flat.is_null().to_numpy(), flat.drop_nulls().to_numpy()
    dtype = numbers.dtype if numbers.dtype.kind == "f" else np.float64
    values = np.full(is_null.size, np.nan, dtype)
    values[~is_null] = numbers
    check_exact(numbers, parameter, data.function, "null")
    return values


def flatten(column: Any) -> tuple[Any, Positions]:
    """Return the values of all lists, as a column of their library, and the length of each list.

    A list that is null has the length 0.
    """
    column = column_of_library(column)
    if not hasattr(column, "type"):
        if hasattr(column.dtype, "shape"):  # lists of equal length
            column = column.arr.to_list()
        length = column.list.len().fill_null(0)
        flat = column.filter(length > 0).explode()  # it would turn an empty list into a null
        return flat, length.to_numpy().astype(np.intp)
    chunks = getattr(column, "chunks", [column])
    flat = [chunk.flatten() for chunk in chunks]
    lengths = [chunk.value_lengths().fill_null(0).to_numpy() for chunk in chunks]
    length = np.concatenate([np.empty(0, np.intp), *lengths]).astype(np.intp)
    if len(flat) == 1:
        return flat[0], length
    return import_module("pyarrow").chunked_array(flat, column.type.value_type), length


def _check_same_lengths(
    data: CallData, parameter: str, lists: ListColumns, labels: ListColumns
) -> None:
    """Raise unless each list has as many values as there are labels."""
    if lists.length.size != labels.length.size:
        expected = f"a column of {labels.length.size} lists, like y_true"
        raise data.invalid(parameter, expected, f"{lists.length.size} lists")
    differs = lists.length != labels.length
    if differs.any():
        row = int(np.argmax(differs))
        got = f"length {lists.length[row]}, where y_true has length {labels.length[row]},"
        expected = "a column of lists as long as those of y_true"
        raise data.invalid(parameter, expected, got, place=Place(row=row))
