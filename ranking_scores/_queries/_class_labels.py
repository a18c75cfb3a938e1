"""Class labels: each sample is a query, and its class is the only relevant item."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base import (
    Place,
    check_identifiers,
    column_names,
    describe,
    first_out_of_order,
    is_labelled,
    name_at,
    show_id,
    unique_identifiers,
    unsortable,
)
from ranking_scores._queries._blocks import Positions, Queries
from ranking_scores._queries._data import Data, Need
from ranking_scores._queries._labels import ClassLabels
from ranking_scores._queries._rows import queries_in_rows


def is_it(data: Data) -> bool:
    """Return whether a 1-D `y_true` has a class label for each row of a 2-D `y_score`."""
    return data.has_class_labels


def check(data: Data, need: Need) -> Queries:
    """Return the samples as queries."""
    if data.item_weight is not None:
        expected, got = "None if y_true holds class labels", describe(data.item_weight)
        code = "Use sample_weight: each sample is a query."
        raise data.invalid("item_weight", expected, got, code=code)
    class_of_row = check_identifiers(data.y_true, "y_true", data.function)
    n_rows, n_classes = data.scores.shape
    if class_of_row.size != n_rows or not n_rows:
        expected = "1-D with a class label for each row of y_score, and not empty"
        code = "For one query pass `np.asarray(y_true)[None, :]`." if n_rows == 1 else ""
        got = f"shape {class_of_row.shape} with y_score of shape {data.scores.shape}"
        raise data.invalid("y_true", expected, got, code=code)
    if data.labels is None:
        column_of_row = _columns_of_all_classes(class_of_row, data)
    else:
        column_of_row = _columns_of_given_classes(class_of_row, data)
    return queries_in_rows(ClassLabels(column_of_row, n_classes), data, need)


def _columns_of_all_classes(class_of_row: NDArray[Any], data: Data) -> Positions:
    """Return the column of the class of each row, if all classes occur."""
    classes, column_of_row = unique_identifiers(class_of_row, "y_true", data.function)
    n_classes = data.scores.shape[1]
    if classes.size != n_classes:
        expected = f"an array of {n_classes} classes, one per column of y_score"
        code = "If y_true lacks some classes, pass all of them, sorted, as `labels`."
        raise data.invalid("y_true", expected, f"{classes.size} classes", code=code)
    _check_columns(classes, data, "the sorted classes", "np.unique(y_true)")
    return column_of_row


def _columns_of_given_classes(class_of_row: NDArray[Any], data: Data) -> Positions:
    """Return the column of the class of each row, by the classes in `labels`."""
    classes = check_identifiers(cast(ArrayLike, data.labels), "labels", data.function)
    n_classes = data.scores.shape[1]
    if classes.size != n_classes:
        expected = f"an array of {n_classes} classes, one per column of y_score"
        raise data.invalid("labels", expected, f"{classes.size} classes")
    if classes.dtype.kind != class_of_row.dtype.kind and not (
        classes.dtype.kind in "biuf" and class_of_row.dtype.kind in "biuf"
    ):
        # As objects, since NumPy would turn numbers into text, and the class 1 would match "1".
        classes, class_of_row = classes.astype(object), class_of_row.astype(object)
    try:
        is_sorted = bool((classes[1:] > classes[:-1]).all())
        column_of_row = np.searchsorted(classes, class_of_row)
        is_known = classes.take(column_of_row, mode="clip") == class_of_row
    except TypeError as error:
        raise unsortable(classes, "labels", data.function, error) from error
    if not is_sorted:
        raise data.invalid("labels", "unique and sorted", describe(data.labels))
    _check_columns(classes, data, "`labels`", "labels")
    if not is_known.all():
        row = int(np.argmin(is_known))
        got, place = show_id(class_of_row.item(row)), Place(row=row)
        raise data.invalid("y_true", "an array of the classes in `labels`", got, place=place)
    return column_of_row


def _check_columns(classes: NDArray[Any], data: Data, order: str, in_order: str) -> None:
    """Raise if the columns of a frame have the names of the classes in another order."""
    columns = column_names(data.y_score)
    if columns is None:
        return
    code = f"Use `y_score.reindex(columns={in_order})`, or pass `.to_numpy()`"
    if isinstance(columns, list):  # their names can only be text
        expected: Any = list(map(str, classes.tolist()))
        code = f"Use `y_score.select(list(map(str, {in_order})))`, or pass `np.asarray(y_score)`"
    else:
        names = classes if classes.dtype.kind in "mM" else classes.tolist()  # it drops their unit
        expected = import_module("pandas").Index(names)
        if is_labelled(data.y_score):
            order_of = f"{{{data.y_score.dims[1]!r}: {in_order}}}"
            code = f"Use `y_score.reindex({order_of})`, or pass `.to_numpy()`"
    place = first_out_of_order(columns, expected)
    if place is not None:
        name, other = name_at(columns, place), name_at(expected, place)
        raise data.invalid(
            "y_score",
            f"a frame with its columns in the order of {order}",
            f"{name} as column {place}, where {other} belongs,",
            code=f"{code} if classes and columns match by position.",
        )
