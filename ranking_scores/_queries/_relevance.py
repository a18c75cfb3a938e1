"""The worth of a label and the worth of a rank.

A *gain* is a function of the label of an item, and a *discount* is a function of its rank. Each
named function is one line under its formula. `check_gain` and `check_discount` also accept a
function of the caller's. They return a function from labels to gains and the weights of the ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place, invalid
from ranking_scores._base._index import first_difference, name_at
from ranking_scores._base._sorting import as_sortable
from ranking_scores._base._tensors import rounded
from ranking_scores._base._threads import callers_turn
from ranking_scores._base._validation import (
    SWAPPED,
    as_ndarray,
    check_max_grade,
    check_real_array,
    check_relevance_threshold,
    describe,
)
from ranking_scores._queries._top_k_candidates import all_finite

Floats = NDArray[np.float64]
Transform = Callable[[Floats], Floats]
PlaceOfItem = Callable[[int], Place]

_FEW_RANKS = 2**10
"""The weights of so few ranks are kept for other calls."""


def _item(index: int) -> Place:
    """Return the item with an index as the place of an error."""
    return Place(item=index)


def linear_gain(label: Floats) -> Floats:
    """gain(label) = label"""
    return label


def exponential_gain(label: Floats) -> Floats:
    """gain(label) = 2**label - 1"""
    gain: Floats = np.exp2(label) - 1
    return gain


def logarithmic_discount(rank: Floats, log_base: float) -> Floats:
    """discount(rank) = 1 / log(1 + rank), to the base `log_base`"""
    discount: Floats = np.log2(log_base) / np.log2(1 + rank)
    return discount


def table_gain(label: Floats, table: Floats) -> Floats:
    """gain(label) = table[label], and NaN for a label that is not an index of the table"""
    in_table = (label >= 0) & (label < table.size) & (label == np.floor(label))
    index = np.where(in_table, label, 0).astype(np.intp)
    return np.where(in_table, table[index], np.nan)


_NAMED_GAINS: dict[str, Transform] = {"linear": linear_gain, "exponential": exponential_gain}


class Gain(Protocol):
    """The gain of an item, as a function of its label."""

    def __call__(self, labels: NDArray[Any], place_of_item: PlaceOfItem = ...) -> Floats:
        """Return the gains of 1-D labels; `place_of_item` returns the query of each for errors."""


@dataclass(frozen=True, eq=False)
class _CheckedGain:
    """The gain of an item by a function of its label, 0 if the label is below a threshold."""

    gain_of_labels: Transform
    threshold: float | int | None
    allow_negative: bool
    """Whether labels that gain, and their gains, may be negative."""
    function: str
    at_fault: str
    """The parameter that is at fault if a gain is out of range."""
    expected: str
    """The requirement for this parameter in error messages."""
    is_callers: bool
    """Whether the function is the caller's own."""

    def __call__(self, labels: NDArray[Any], place_of_item: PlaceOfItem = _item) -> Floats:
        """Return the gains of 1-D labels."""
        if self.threshold is not None:
            relevant = np.flatnonzero(_at_least(labels, self.threshold))
            gains_of_all = np.zeros(labels.shape)
            if relevant.size:
                gain_of_relevant = replace(self, threshold=None)
                gains_of_all[relevant] = gain_of_relevant(
                    labels[relevant], lambda index: place_of_item(int(relevant[index]))
                )
            return gains_of_all
        if not labels.size:
            return np.zeros(0)
        smallest = -np.inf if self.allow_negative else labels.min()
        if smallest < 0 and not self.allow_negative:
            first = int(np.argmax(labels < 0))
            place, arrays = place_of_item(first), ", or pass `where=y_true >= 0` for 2-D arrays"
            raise invalid(
                "y_true",
                self.function,
                "at least 0, except below relevance_threshold",
                f"the label {labels[first]!s}",
                code="Replace negative labels by 0 if they gain nothing. Drop items that they "
                f"mark as to leave out{arrays * (place.query_is == 'number')}. {SWAPPED}",
                place=place,
            )
        if self.gain_of_labels is linear_gain and labels.dtype.itemsize <= 8:
            gains = labels.astype(np.float64, copy=False)
        else:
            gains = self._transformed(labels)
        lowest = -np.inf if self.allow_negative else 0.0
        if gains is not labels and not self.allow_negative:
            smallest = gains.min()
        if not (smallest >= lowest and all_finite(gains)):
            first = int(np.argmin((gains >= lowest) & np.isfinite(gains)))
            got = f"the label {labels[first]!s}"
            if not np.isnan(gains[first]) or self.is_callers:
                got = f"the gain {gains[first]} for {got}"
            code = SWAPPED if self.at_fault == "y_true" else ""
            place = place_of_item(first)
            raise invalid(self.at_fault, self.function, self.expected, got, code=code, place=place)
        return gains

    def _transformed(self, labels: NDArray[Any]) -> Floats:
        """Return the values of the function, not yet checked."""
        with np.errstate(over="ignore"):
            # The caller's function gets a copy, which it may change. The array has no strides,
            # since the last bits of NumPy's exp2 might depend on them.
            floats = labels.astype(np.float64, order="C", copy=self.is_callers)
            return self.gain_of_labels(floats)


def check_gain(
    gain: Any, relevance_threshold: Any, function: str, *, allow_negative: bool
) -> Gain:
    """Return the gain function of `gain`, which is 0 for labels below `relevance_threshold`.

    Unless `allow_negative`, labels that gain and their gains must not be negative.
    """
    threshold = check_relevance_threshold(relevance_threshold, function)
    in_range = "finite" if allow_negative else "finite and at least 0"
    if isinstance(gain, str) and gain in _NAMED_GAINS:
        gain_of_labels = _NAMED_GAINS[gain]
        at_fault, expected = "y_true", f"an array of labels whose gain is {in_range}"
    elif callable(gain):
        gain_of_labels = _checked_callable(gain, "gain", "labels", function)
        at_fault, expected = "gain", f"a function whose values are {in_range}"
    else:
        table = _check_table(gain, -np.inf if allow_negative else 0.0, in_range, function)
        gain_of_labels = partial(table_gain, table=table)
        at_fault = "y_true"
        expected = (
            f"an array of whole numbers from 0 to {table.size - 1}, the labels in the table `gain`"
        )
    is_callers = callable(gain)
    return _CheckedGain(
        gain_of_labels, threshold, allow_negative, function, at_fault, expected, is_callers
    )


def label_order(labels: NDArray[Any], place_of_item: Any = None) -> Floats:
    """Return floats with the order and the ties of the labels: gains if only the order counts."""
    return as_sortable(labels).astype(np.float64, copy=False)


def known_gain(labels: NDArray[Any], place_of_item: Any = None) -> Floats:
    """Return the gain 1 of each known label. `Items.gains` knows which labels these are."""
    return np.ones(labels.shape)


@dataclass(frozen=True)
class Relevance:
    """Which labels are relevant and gain 1. All other labels gain 0."""

    threshold: float | int | None
    """The lowest relevant label; None: all labels above 0 are relevant."""
    is_whole: bool
    """Whether the threshold is an int. An int and an equal float compare differently."""

    @property
    def includes_zero(self) -> bool:
        """Whether items that nobody judged are relevant, so that their number counts."""
        return self.threshold is not None and self.threshold <= 0

    def is_relevant(self, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """Return for each label whether it is relevant."""
        return labels > 0 if self.threshold is None else _at_least(labels, self.threshold)

    def __call__(self, labels: NDArray[Any], place_of_item: Any = None) -> Floats:
        """Return the gain of each label: 1 if it is relevant, else 0."""
        return self.is_relevant(labels).astype(np.float64)


def check_relevance(relevance_threshold: Any, function: str) -> Relevance:
    """Return which labels are relevant."""
    threshold = check_relevance_threshold(relevance_threshold, function)
    return Relevance(threshold, isinstance(threshold, int))


def check_stop_chance(max_grade: Any, relevance_threshold: Any, function: str) -> Gain:
    """Return the function (2**label - 1) / 2**max_grade, whose labels must be grades."""
    threshold = check_relevance_threshold(relevance_threshold, function)
    highest = check_max_grade(max_grade, function)

    def chance_of_item(labels: NDArray[Any], place_of_item: PlaceOfItem = _item) -> Floats:
        grades = labels
        if threshold is not None:
            grades = np.where(_at_least(labels, threshold), labels, 0)
        is_grade = (grades >= 0) & (grades <= highest) & (grades == np.floor(grades))
        if not is_grade.all():
            first = int(np.argmin(is_grade))
            expected = f"an array of whole numbers from 0 to {highest}, the max_grade"
            got, place = f"the label {labels[first]!s}", place_of_item(first)
            raise invalid("y_true", function, expected, got, code=SWAPPED, place=place)
        grades = grades.astype(np.float64)
        return np.asarray(np.exp2(grades - highest) - 2.0**-highest)

    return chance_of_item


def _at_least(labels: NDArray[Any], threshold: float | int) -> NDArray[np.bool_]:
    """Return which labels reach a threshold, compared in their own dtype."""
    if labels.dtype.kind not in "iu":  # ints compare with an int of any size
        dtype = labels.dtype if labels.dtype.kind == "f" else np.dtype(np.float64)
        threshold = float(rounded(threshold, dtype))
    return np.asarray(labels >= threshold)


def check_discount(
    discount: Any, log_base: float, n_ranks: int, function: str, *, allow_negative: bool
) -> Floats:
    """Return the weights of the ranks 1 to `n_ranks`."""
    if isinstance(discount, str) and discount == "log":
        few = n_ranks <= _FEW_RANKS
        return (_weights_of_few if few else _logarithmic_weights)(n_ranks, log_base)
    if not callable(discount):
        raise invalid("discount", function, "'log' or a callable", describe(discount))
    if log_base != 2:
        raise invalid("log_base", function, "2 if discount is a callable", f"{log_base:g}")
    weights = _checked_callable(discount, "discount", "ranks", function)(
        np.arange(1.0, n_ranks + 1)
    )
    acceptable = np.isfinite(weights) & (allow_negative | (weights >= 0))
    if not acceptable.all():
        first = int(np.argmin(acceptable))
        expected = "finite at every rank" + ("" if allow_negative else " and not negative")
        raise invalid("discount", function, expected, f"{weights[first]} at rank {first + 1}")
    return weights


def _logarithmic_weights(n_ranks: int, log_base: float) -> Floats:
    """Return the logarithmic discounts of the first ranks, which nobody may change."""
    weights = logarithmic_discount(np.arange(1.0, n_ranks + 1), log_base)
    weights.flags.writeable = False
    return weights


_weights_of_few = lru_cache(maxsize=32)(_logarithmic_weights)


def _checked_callable(
    transform: Callable[[Floats], Any], parameter: str, argument: str, function: str
) -> Transform:
    """Return the caller's `transform`; it raises unless each value is one real number."""

    def checked(values: Floats) -> Floats:
        shape = values.shape
        with callers_turn():
            returned = as_ndarray(transform(values), parameter, function)
        if returned.shape != shape or returned.dtype.kind not in "biuf":
            returns = f"one real number for each of the {argument} it gets"
            expected = f"a function that returns {returns}, an array of shape {shape}"
            raise invalid(parameter, function, expected, describe(returned))
        return returned.astype(np.float64)

    return checked


def _check_table(gain: Any, lowest: float, in_range: str, function: str) -> Floats:
    """Return a table of gains by label."""
    try:
        is_table = np.ndim(gain) == 1 and np.shape(gain) != (0,)
    except (ValueError, TypeError, RuntimeError):  # lists of different lengths, or of tensors
        is_table = False
    if not is_table:
        expected = "'linear', 'exponential', a 1-D table of gains or a callable"
        raise invalid("gain", function, expected, describe(gain))
    table = check_real_array(gain, "gain", function).astype(np.float64)
    if hasattr(gain, "iloc") and gain.index.dtype.kind in "iuf":
        label = first_difference(gain.index, type(gain.index)(range(table.size)))
        if label is not None:
            expected = "a table with the gains of the labels 0, 1, and so on, in this order"
            got = f"a Series with {name_at(gain.index, label)} as label {label} in its index"
            code = (
                "Use `.reindex(range(gain.index.max() + 1), fill_value=0).to_numpy()` if its "
                "index holds the labels, or else `.to_numpy()`."
            )
            raise invalid("gain", function, expected, got, code=code)
    acceptable = np.isfinite(table) & (table >= lowest)
    if not acceptable.all():
        label = int(np.argmin(acceptable))
        expected = f"a table of gains that are {in_range}"
        raise invalid("gain", function, expected, f"{table[label]} for the label {label}")
    return table
