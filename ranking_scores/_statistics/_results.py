"""The results of `ranking_scores.significance`: what they hold, and how they print.

A number has the same name in every result, whether the result has one of it or an array of them,
such as `pvalue`. What has a name is a str where a result is about one, such as `metric`, and a
tuple with the plural name where it is about several, such as `metrics`.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    are_equal,
    as_cell,
    as_html,
    as_percent,
    as_text,
    as_title,
    count_queries,
    describe,
    lock,
    locked,
    pandas_for,
)
from ranking_scores._statistics._differences import alpha_of
from ranking_scores._statistics._systems import Rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SHOWN = 40
"""The greatest number of rows that the text of a result shows."""
_NAMES_OF_TESTS = {
    "t": "paired t test",
    "permutation": "permutation test",
    "wilcoxon": "Wilcoxon's test",
    "bootstrap": "bootstrap test",
}
_NAMES_OF_CORRECTIONS = {"max-t": "max-T", "holm": "Holm", "bh": "Benjamini and Hochberg"}
_NAMES_OF_METHODS = {
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "t": "Student's t",
}
_POWER_OF = ("the uncorrected t test", "the t test")
_COLUMNS = ("difference", "low", "high", "pvalue", "effect_size", "wins", "draws", "losses")
"""The attributes of comparisons that are printed."""


class _Table(NamedTuple):
    """A result as it is printed."""

    columns: Mapping[str, Sequence[Any]]
    labels: Sequence[str]
    notes: Sequence[str]
    metrics: Sequence[str] | None = None
    """The metric of each row, if that is a column."""
    is_marked: Sequence[bool] | None = None
    """Whether the p-value of each row is marked; None: none of the rows can be."""

    def as_text(self) -> str:
        """Return the table and the notes below it as plain text."""
        (head, *body), more = self._cells()
        table = as_text(head, body, 1 if self.metrics is None else 2)
        return "\n".join([table, *more, "", *self.notes])

    def as_html(self) -> str:
        """Return the table and the notes below it as HTML."""
        (head, *body), more = self._cells()
        return "\n".join(
            [as_html(head, body), *(f"<p>{line}</p>" for line in [*more, *self.notes])]
        )

    def _cells(self) -> tuple[list[list[str]], list[str]]:
        """Return the rows as text, with the head first, and the lines below the table."""
        names = [["", *self.labels]]
        if self.metrics is not None:
            names.append(["metric", *self.metrics])
        n_rows = len(self.labels)
        names = [[" ".join(name.split()) for name in each[: _SHOWN + 1]] for each in names]
        cells = {name: [*map(as_cell, column[:_SHOWN])] for name, column in self.columns.items()}
        if self.is_marked is not None and any(self.is_marked):
            marks = ["*" if is_marked else " " for is_marked in self.is_marked]
            cells["pvalue"] = [*map(str.__add__, cells["pvalue"], marks)]
        columns = [[as_title(name), *column] for name, column in cells.items()]
        rows = [list(row) for row in zip(*names, *columns, strict=True)]
        return rows, [f"... and {n_rows - _SHOWN} more rows"] if n_rows > _SHOWN else []


class _Result(ABC):
    """What the results share: they print as tables, and are equal if all their values are."""

    @abstractmethod
    def _table(self) -> _Table:
        """Return the result as it is printed."""

    def __repr__(self) -> str:
        return self._table().as_text()

    def _repr_html_(self) -> str:
        return self._table().as_html()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return are_equal(self._values(), other._values())

    __hash__ = None  # type: ignore[assignment]

    def _values(self) -> list[Any]:
        return [getattr(self, each.name) for each in fields(self)]  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: lock(value) for name, value in state.items()})


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceInterval(_Result):
    """The result of `confidence_interval`: numbers, or arrays for several columns or a report.

    Intervals are equal if all their values are. NaN equals NaN.

    Attributes
    ----------
    mean : float or ndarray
        The mean over the queries.

    low : float or ndarray
        The lower limit of the interval.

    high : float or ndarray
        The upper limit of the interval.

    standard_error : float or ndarray
        The standard error of the mean: the standard deviation divided by the square root of the
        number of queries.

    n_queries : int or ndarray
        The number of queries in the mean.

    n_undefined : int or ndarray
        The number of queries that were left out, since their score is NaN.

    metrics : tuple of str, or None
        The names of the columns or of the results of a report. None for one column without a
        name.

    method : str
        The method of the interval: "bca", "percentile" or "t".

    confidence_level : float
        The share of such intervals that contain the true mean.
    """

    mean: float | Floats
    low: float | Floats
    high: float | Floats
    standard_error: float | Floats
    n_queries: int | Ints
    n_undefined: int | Ints
    metrics: tuple[str, ...] | None
    method: str
    confidence_level: float

    def to_frame(self) -> Any:
        """Return the intervals as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per column of scores, with its mean, limits, standard error and numbers of
            queries.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("ConfidenceInterval.to_frame")
        return pandas.DataFrame(self._columns(), index=list(self.metrics or [""]))

    def _table(self) -> _Table:
        return _Table(self._columns(), self.metrics or [""], self._notes())

    def _columns(self) -> dict[str, list[Any]]:
        keys = ("mean", "low", "high", "standard_error", "n_queries", "n_undefined")
        return {key: np.ravel(getattr(self, key)).tolist() for key in keys}

    def _notes(self) -> list[str]:
        method = _NAMES_OF_METHODS[self.method]
        return [f"{as_percent(self.confidence_level)} intervals: {method}"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(_Result):
    """The comparison of two systems on the same queries.

    `compare` returns it, and each row of `Comparisons` is one. Comparisons are equal if all their
    values are. NaN equals NaN.

    Attributes
    ----------
    system_a : str
        The name of the first system, with which the other one is compared. "a" in `compare`.

    system_b : str
        The name of the other system. "b" in `compare`.

    metric : str or None
        The name of the score, or None if it is unknown.

    difference : float
        The mean of b minus the mean of a, over the queries on which both have a score.

    low : float
        The lower limit of the interval of the difference, or -inf if it has none.

    high : float
        The upper limit of the interval of the difference, or inf if it has none.

    pvalue : float
        The p-value. It is corrected in a row of corrected `Comparisons`.

    effect_size : float
        The difference divided by the standard deviation of the differences of the queries.

    detectable_difference : float
        The difference that the uncorrected t test would detect with a probability of 80 %.

    wins : int
        The number of queries on which the score of b is higher.

    draws : int
        The number of queries on which both scores are equal.

    losses : int
        The number of queries on which the score of b is lower.

    n_queries : int
        The number of queries that were compared.

    n_dropped : int
        The number of queries that were left out, since one of the two scores is NaN.

    test : str
        The test: "t", "permutation", "wilcoxon" or "bootstrap".

    alternative : str
        The alternative hypothesis: "two-sided", "greater" or "less".

    correction : str or None
        The correction of the p-value: "max-t", "holm" or "bh", or None if it is not corrected.

    confidence_level : float
        The confidence level of the interval.

    difference_per_query : ndarray of float64 of shape (n_queries + n_dropped,)
        The difference of each query, b minus a. NaN for queries that were left out.

    query_ids : ndarray of shape (n_queries + n_dropped,) or None
        The ids of the queries, from a report or from the index of pandas objects. None if there
        are none, or if the index only numbers the rows.
    """

    system_a: str
    system_b: str
    metric: str | None
    difference: float
    low: float
    high: float
    pvalue: float
    effect_size: float
    detectable_difference: float
    wins: int
    draws: int
    losses: int
    n_queries: int
    n_dropped: int
    test: str
    alternative: str
    correction: str | None
    confidence_level: float
    difference_per_query: Floats
    query_ids: NDArray[Any] | None

    def to_frame(self) -> Any:
        """Return the comparison as a pandas DataFrame of one row.

        Returns
        -------
        frame : pandas.DataFrame
            The numbers of the comparison. The index says what is compared.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("Comparison.to_frame")
        columns = self._columns() | {
            key: [getattr(self, key)]
            for key in ("detectable_difference", "n_queries", "n_dropped")
        }
        return pandas.DataFrame(columns, index=[self._label()])

    def _table(self) -> _Table:
        return _Table(self._columns(), [self._label()], self._notes())

    def _label(self) -> str:
        of_metric = f", {self.metric}" if self.metric is not None else ""
        return f"{self.system_b} - {self.system_a}{of_metric}"

    def _columns(self) -> dict[str, list[Any]]:
        return {key: [getattr(self, key)] for key in _COLUMNS}

    def _notes(self) -> list[str]:
        is_plain = self.test == "t" and self.correction is None
        power = "80 % power" if is_plain else f"80 % power of {_POWER_OF[self.correction is None]}"
        detectable = f"{power} for a difference of {as_cell(self.detectable_difference)}"
        lines = describe_test(self, "interval")
        return [_count(self.n_queries, self.n_dropped), *lines, detectable]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(_Result):
    """The result of `compare_all`: one row per pair of systems and metric.

    ``comparisons[0]`` is the `Comparison` of the first row, and a loop over the object yields the
    `Comparison` of each row. Rows are sorted by metric first. Numbers have the same names as in a
    `Comparison`, and names have those names in the plural. Two such results are equal if all their
    values are, including those of each query. NaN equals NaN.

    Attributes
    ----------
    systems_a : tuple of str
        The name of the first system of each row, with which the other one is compared. If there
        is a baseline, it is always the baseline.

    systems_b : tuple of str
        The name of the other system of each row.

    metrics : tuple of str, or None
        The name of the score of each row. None if there is a single score without a name.

    difference : ndarray of float64 of shape (n_rows,)
        The mean of b minus the mean of a.

    low : ndarray of float64 of shape (n_rows,)
        The lower limits of the intervals. The intervals are simultaneous for
        ``correction="max-t"``. For other corrections, each is the interval of its row alone.

    high : ndarray of float64 of shape (n_rows,)
        The upper limits of these intervals.

    pvalue : ndarray of float64 of shape (n_rows,)
        The corrected p-values.

    pvalue_uncorrected : ndarray of float64 of shape (n_rows,)
        The p-value of each row alone, as `compare` returns it.

    effect_size : ndarray of float64 of shape (n_rows,)
        The difference divided by the standard deviation of the differences of the queries.

    detectable_difference : ndarray of float64 of shape (n_rows,)
        The difference that the uncorrected t test would detect with a probability of 80 %.

    wins : ndarray of int64 of shape (n_rows,)
        The number of queries on which the score of b is higher.

    draws : ndarray of int64 of shape (n_rows,)
        The number of queries on which both scores are equal.

    losses : ndarray of int64 of shape (n_rows,)
        The number of queries on which the score of b is lower.

    n_queries : ndarray of int64 of shape (n_rows,)
        The number of queries that were compared.

    n_dropped : ndarray of int64 of shape (n_rows,)
        The number of queries that were left out, since one of the two scores is NaN.

    baseline : str or None
        The system that all others are compared with, or None if all pairs are compared.

    correction : str or None
        The correction of the p-values: "max-t", "holm" or "bh", or None if they are not corrected.

    family : str
        The rows that were corrected together: the rows of each "metric", or "all" rows.

    test : str
        The test: "t", "permutation", "wilcoxon" or "bootstrap".

    alternative : str
        The alternative hypothesis: "two-sided", "greater" or "less".

    confidence_level : float
        The confidence level of the intervals.

    is_significant : ndarray of bool of shape (n_rows,)
        Whether the corrected p-value is at most ``1 - confidence_level``.
    """

    systems_a: tuple[str, ...]
    systems_b: tuple[str, ...]
    metrics: tuple[str, ...] | None
    difference: Floats
    low: Floats
    high: Floats
    pvalue: Floats
    pvalue_uncorrected: Floats
    effect_size: Floats
    detectable_difference: Floats
    wins: Ints
    draws: Ints
    losses: Ints
    n_queries: Ints
    n_dropped: Ints
    baseline: str | None
    correction: str | None
    family: str
    test: str
    alternative: str
    confidence_level: float
    _rows: Rows = field(init=False)

    @cached_property
    def is_significant(self) -> NDArray[np.bool_]:
        """Whether each corrected p-value is at most ``1 - confidence_level``."""
        return locked(self.pvalue <= alpha_of(self.confidence_level))

    def __len__(self) -> int:
        return len(self.systems_a)

    def __getitem__(self, row: int) -> Comparison:
        """Return the comparison of a row."""
        try:
            place = range(len(self))[operator.index(row)]
        except TypeError as error:
            message = f"A row of Comparisons must be an int. Got {describe(row)} instead."
            raise TypeError(f"{message} To select by name, use `to_frame`.") from error
        except IndexError as error:
            message = f"These Comparisons have {len(self)} rows, counted from 0."
            raise IndexError(f"{message} Got {row} instead.") from error
        return Comparison(
            **{key: column[place] for key, column in self._columns().items()},
            detectable_difference=float(self.detectable_difference[place]),
            n_queries=int(self.n_queries[place]),
            n_dropped=int(self.n_dropped[place]),
            system_a=self.systems_a[place],
            system_b=self.systems_b[place],
            metric=None if self.metrics is None else self.metrics[place],
            test=self.test,
            alternative=self.alternative,
            correction=self.correction,
            confidence_level=self.confidence_level,
            difference_per_query=locked(self._rows.differences(slice(place, place + 1))[:, 0]),
            query_ids=lock(self._rows.ids),
        )

    def __iter__(self) -> Iterator[Comparison]:
        return map(self.__getitem__, range(len(self)))

    def to_frame(self) -> Any:
        """Return the comparisons as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per comparison, with the names of the two systems, the name of the metric if
            it has one, and all numbers.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("Comparisons.to_frame")
        names = {"system_a": self.systems_a, "system_b": self.systems_b}
        names |= {} if self.metrics is None else {"metric": self.metrics}
        columns = self._columns() | {"pvalue_uncorrected": self.pvalue_uncorrected}
        more = ("detectable_difference", "n_queries", "n_dropped")
        return pandas.DataFrame(names | columns | {key: getattr(self, key) for key in more})

    def _table(self) -> _Table:
        marks = self.is_significant.tolist()
        return _Table(self._columns(), self._labels(), self._notes(), self.metrics, marks)

    def _labels(self) -> list[str]:
        return [f"{b} - {a}" for a, b in zip(self.systems_a, self.systems_b, strict=True)]

    def _columns(self) -> dict[str, list[Any]]:
        return {key: getattr(self, key).tolist() for key in _COLUMNS}

    def _notes(self) -> list[str]:
        counts = dict.fromkeys(zip(self.n_queries.tolist(), self.n_dropped.tolist(), strict=True))
        fewest, most = min(counts), max(counts)
        count = _count(*most)
        if len(counts) > 1:
            left_out = f"{most[1]} to {fewest[1]} left out"
            count = f"{fewest[0]} to {count_queries(most[0])}, {left_out}"
        return [count, *describe_test(self, "intervals"), self._significance()]

    def _significance(self) -> str:
        """Return the line that says what the marks of the p-values mean."""
        least = f"at most {alpha_of(self.confidence_level):.10g}"
        if self.is_significant.any():
            return f"* significant: the p-value is {least}"
        return f"no difference is significant: no p-value is {least}"


def describe_test(result: Comparison | Comparisons, intervals: str) -> list[str]:
    """Return lines that describe the p-values and the intervals, and any infinite intervals."""
    intervals = f"{as_percent(result.confidence_level)} {intervals}"
    if result.correction is None:
        is_several = isinstance(result, Comparisons) and len(result) > 1
        how = f"{_NAMES_OF_TESTS[result.test]}{', p-values not corrected' * is_several}"
    else:
        how = f"p-values corrected by {_NAMES_OF_CORRECTIONS[result.correction]}"
        if isinstance(result, Comparisons) and len(set(result.metrics or ())) > 1:
            how += " over all metrics" if result.family == "all" else " within each metric"
        if result.correction == "max-t":
            intervals = f"simultaneous {intervals}"
        else:
            how = f"{_NAMES_OF_TESTS[result.test]}, {how}"
            intervals = f"{intervals}, not corrected"
    side = "" if result.alternative == "two-sided" else f", alternative {result.alternative!r}"
    has_no_end = np.isinf(result.low) & np.isinf(result.high)
    few = "an infinite interval means that too few queries were compared to find any difference"
    return [f"{how}{side}; {intervals}", *[few] * bool(np.any(has_no_end))]


def _count(n_queries: int, n_dropped: int) -> str:
    """Return the number of queries, in words."""
    dropped = f", {n_dropped} left out" if n_dropped else ""
    return f"{count_queries(n_queries)}{dropped}"
