"""The results of `ranking_scores.significance`: what they hold, and how they print.

A number has the same name in every result, whether the result has one of it or an array of them,
such as `pvalue`. What has a name is a str where a result is about one, such as `metric`, and a
tuple with the plural name where it is about several, such as `metrics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    are_equal,
    as_cell,
    as_html,
    as_markdown,
    as_percent,
    as_text,
    as_title,
    count_clusters,
    in_html,
    in_markdown,
    lock,
    pandas_for,
    visible,
)
from ranking_scores._metrics import list_some

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHOWN = 40
"""The greatest number of rows that the text of a result shows."""
_NAMES_OF_METHODS = {
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "t": "Student's t",
    "studentized": "studentized bootstrap",
    "expansion": "BCa by an expansion",
    "wilson": "Wilson",
    "exact": "Clopper and Pearson",
    "ppi": "prediction-powered, Student's t",
}


class Table(NamedTuple):
    """A result as it is printed."""

    columns: Mapping[str, Sequence[Any]]
    names: Mapping[str, Sequence[str]]
    """The names of the rows by the heads of their columns, such as "" and "metric"."""
    notes: Sequence[str]
    is_marked: Sequence[bool] = ()
    """Whether the p-value of each row is marked."""
    words: Mapping[str, Sequence[str]] = MappingProxyType({})
    """The words about each row, which come last, by the heads of their columns."""

    def as_text(self) -> str:
        """Return the table and the notes below it as plain text."""
        (head, *body), more = self._cells()
        table = as_text(head, body, len(self.names), len(self.words))
        return "\n".join([table, *more, "", *map(visible, self.notes)])

    def as_html(self) -> str:
        """Return the table and the notes below it as HTML."""
        (head, *body), more = self._cells()
        lines = [in_html(line, quote=False) for line in [*more, *self.notes]]
        return "\n".join([as_html(head, body), *(f"<p>{line}</p>" for line in lines)])

    def as_markdown(self) -> str:
        """Return the table and a list of the notes in Markdown."""
        (head, *body), more = self._cells()
        table = as_markdown(head, body, len(self.names), len(self.words))
        lines = [f"- {in_markdown(line)}" for line in [*more, *self.notes]]
        return "\n\n".join([table, *(["\n".join(lines)] if lines else [])])

    def _cells(self) -> tuple[list[list[str]], list[str]]:
        """Return the rows as text, with the head first, and the lines below the table."""
        n_rows = len(self.names[""])
        names = [[head, *each[:SHOWN]] for head, each in self.names.items()]
        cells = {name: [*map(as_cell, column[:SHOWN])] for name, column in self.columns.items()}
        if any(self.is_marked):
            marks = ["*" if is_marked else " " for is_marked in self.is_marked]
            cells["pvalue"] = [*map(str.__add__, cells["pvalue"], marks)]
        columns = [[as_title(name), *column] for name, column in cells.items()]
        words = [[head, *each[:SHOWN]] for head, each in self.words.items()]
        rows = [list(row) for row in zip(*names, *columns, *words, strict=True)]
        return rows, [f"... and {n_rows - SHOWN} more rows"] if n_rows > SHOWN else []


def span(values: Any) -> str:
    """Return the lowest and the highest of some numbers, or the only one."""
    texts = [f"{each:.1f}".removesuffix(".0") for each in (np.min(values), np.max(values))]
    return " to ".join(dict.fromkeys(texts))


def of_infinite(low: Any, high: Any) -> list[str]:
    """Return a line about limits that are infinite, if there are any."""
    reason = "the queries are too few, or too much alike, to find one"
    is_infinite = np.isinf(low).any() or np.isinf(high).any()
    return [f"an infinite limit means that {reason}"] if is_infinite else []


class Result(ABC):
    """What the results share: they print as tables, and are equal if all their values are."""

    @abstractmethod
    def _table(self) -> Table:
        """Return the result as it is printed."""

    def __init__(self, *args: Any, **changes: Any) -> None:
        """Refuse to make a result by hand, as `dataclasses.replace` does."""
        name = type(self).__name__
        message = f"A {name} holds what was computed, so its values cannot be set"
        raise TypeError(f"{message}. Compute it again with other parameters.")

    @classmethod
    def _of(cls, **values: Any) -> Self:
        """Return the result with these values."""
        result = object.__new__(cls)
        vars(result).update(values)
        return result

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
        own = [each for each in fields(self) if each.compare]  # type: ignore[arg-type]
        return [getattr(self, each.name) for each in own]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: lock(value) for name, value in state.items()})


@dataclass(frozen=True, init=False, eq=False, repr=False)
class HumanLabels(Result):
    """What people's labels of some queries say about a model's: numbers, or arrays for several.

    It is the attribute `human` of what `confidence_interval` and `compare` return. All of it is
    about the difference of the two systems in a `Comparison`.

    Attributes
    ----------
    n_queries : int or ndarray
        The number of queries that both people and the model judged.

    weight : float or ndarray
        How much the model's labels count, from 0 to 1. It is 0 if they are of no use.

    correlation : float or ndarray
        The correlation of the scores by both kinds of labels, on the queries that people judged.

    bias : float or ndarray
        The judge's bias: the mean by the model's labels minus that by people's, on the queries
        that people judged.

    bias_low : float or ndarray
        The lower limit of the confidence interval of the bias, by Student's t.

    bias_high : float or ndarray
        The upper limit of this interval.

    worth : float or ndarray
        The number of queries judged by people alone that would give the same standard error.

    pvalue : float or ndarray
        The p-value of Welch's test of whether, by the model's labels, the queries that people
        judged differ from the others. If it is low, they are no random part. NaN if fewer than
        two queries are left for the model.

    metrics : tuple of str, or None
        The names of the scores. None if there is a single one.

    confidence_level : float
        The confidence level of the interval of the bias.
    """

    n_queries: int | Ints
    weight: float | Floats
    correlation: float | Floats
    bias: float | Floats
    bias_low: float | Floats
    bias_high: float | Floats
    worth: float | Floats
    pvalue: float | Floats
    metrics: tuple[str, ...] | None
    confidence_level: float

    def to_frame(self) -> Any:
        """Return the numbers as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per score.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("HumanLabels.to_frame")
        return pandas.DataFrame(self._columns(), index=list(self.metrics or [""]))

    def _table(self) -> Table:
        notes = [
            f"bias: the model's labels minus people's, with {as_percent(self.confidence_level)} "
            "intervals",
            "worth: as many queries judged by people alone",
            "p-value: whether people judged other queries than the rest (Welch's t test)",
        ]
        return Table(self._columns(), {"": self.metrics or [""]}, notes)

    def _columns(self) -> dict[str, list[Any]]:
        keys = [each.name for each in fields(self)][:-2]
        return {key: np.ravel(getattr(self, key)).tolist() for key in keys}

    def _columns_of_frame(self) -> dict[str, list[Any]]:
        """Return the columns as those of the frame of another result."""
        return {f"human_{key.removeprefix('n_')}": each for key, each in self._columns().items()}

    def _lines(self, names: Sequence[str] | None = None) -> list[str]:
        """Return the lines below the table of another result."""
        lines = []
        columns = {key: list(map(as_cell, each)) for key, each in self._columns().items()}
        worth = [f"{each:.0f}" for each in np.ravel(self.worth).tolist()]
        for place, name in enumerate(names or [""]):
            cells = {key: each[place] for key, each in columns.items()}
            lines += [
                f"{name}{': ' * bool(name)}worth {worth[place]} queries judged by people, of "
                f"which there are {cells['n_queries']}",
                f"weight of the model's labels {cells['weight']}, correlation "
                f"{cells['correlation']}, bias {cells['bias']} ({cells['bias_low']} to "
                f"{cells['bias_high']})",
            ]
        return lines


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ConfidenceInterval(Result):
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
        number of queries. With unequal weights or clusters, "t" takes another one: see the Notes
        of `confidence_interval`.

    n_queries : int or ndarray
        The number of queries in the mean.

    n_undefined : int or ndarray
        The number of queries that were left out, since their score is NaN or their weight is 0.

    n_effective : float or ndarray
        The effective number of queries, ``sum(w)^2 / sum(w^2)``, or of clusters, whose weight is
        the sum of their weights. It is `n_queries` without weights and clusters.

    n_clusters : int or None
        The number of clusters. None without clusters.

    metrics : tuple of str, or None
        The names of the columns or of the results of a report. None for one column without a
        name.

    method : str or tuple of str
        The method that was taken, never "auto". There is one for each column. It is "ppi" if
        people judged some of the queries.

    confidence_level : float
        The share of such intervals that contain the true mean.

    human : HumanLabels or None
        What people's labels of some of the queries say about the model's. None without `human`.
    """

    mean: float | Floats
    low: float | Floats
    high: float | Floats
    standard_error: float | Floats
    n_queries: int | Ints
    n_undefined: int | Ints
    n_effective: float | Floats
    n_clusters: int | None
    metrics: tuple[str, ...] | None
    method: str | tuple[str, ...]
    confidence_level: float
    human: HumanLabels | None

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
        more = {"n_effective": np.ravel(self.n_effective).tolist(), "method": self._methods()}
        of_human = {} if self.human is None else self.human._columns_of_frame()
        columns = self._columns() | more | of_human
        return pandas.DataFrame(columns, index=list(self.metrics or [""]))

    def _table(self) -> Table:
        return Table(self._columns(), {"": self.metrics or [""]}, self._notes())

    def _columns(self) -> dict[str, list[Any]]:
        keys = ("mean", "low", "high", "standard_error", "n_queries", "n_undefined")
        return {key: np.ravel(getattr(self, key)).tolist() for key in keys}

    def _methods(self) -> list[str]:
        """Return the method of each column."""
        return [self.method] if isinstance(self.method, str) else list(self.method)

    def _notes(self) -> list[str]:
        columns: dict[str, list[str]] = {}
        for name, method in zip(self.metrics or [""], self._methods(), strict=True):
            columns.setdefault(method, []).append(name)
        parts = [
            _NAMES_OF_METHODS[method] + (f" ({list_some(names)})" if len(columns) > 1 else "")
            for method, names in columns.items()
        ]
        lines = [f"{as_percent(self.confidence_level)} intervals: {', '.join(parts)}"]
        effective, all_queries = np.ravel(self.n_effective), np.ravel(self.n_queries)
        if self.n_clusters is not None:
            count = count_clusters(self.n_clusters)
            lines.append(f"{count}, effectively {span(effective)}")
        elif (effective != all_queries).any():
            lines.append(f"effectively {span(effective)} queries, since they have weights")
        of_human = [] if self.human is None else self.human._lines(self.metrics)
        return [*lines, *of_infinite(self.low, self.high), *of_human]
