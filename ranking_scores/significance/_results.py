"""The results of `ranking_scores.significance`: what they share, and how they print.

A number has the same name in every result, whether the result has one of it or an array of them,
such as `pvalue`. What has a name is a str where a result is about one, such as `metric`, and a
tuple with the plural name where it is about several, such as `metrics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._results import (
    ROW_NAMES,
    Column,
    MarkdownResult,
    TabularResult,
    as_cell,
    as_percent,
    columns_of,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def span(values: Any) -> str:
    """Return the lowest and the highest of some numbers, or the only one."""
    texts = [f"{value:.1f}".removesuffix(".0") for value in (np.min(values), np.max(values))]
    return " to ".join(dict.fromkeys(texts))


def notes_on_infinite(low: Any, high: Any) -> list[str]:
    """Return a line about limits that are infinite, if there are any."""
    reason = "the queries are too few, or too much alike, to find one"
    is_infinite = np.isinf(low).any() or np.isinf(high).any()
    return [f"an infinite limit means that {reason}"] if is_infinite else []


@dataclass(frozen=True, init=False, eq=False, repr=False)
class HumanLabels(TabularResult):
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

    _columns = (
        ROW_NAMES,
        *columns_of("n_queries", "weight", "correlation", "bias", "bias_low", "bias_high"),
        *columns_of("worth", "pvalue"),
    )

    def _names(self) -> Sequence[str]:
        return self.metrics or ("",)

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
        return self._frame()

    def _notes(self) -> list[str]:
        return [
            f"bias: the model's labels minus people's, with {as_percent(self.confidence_level)} "
            "intervals",
            "worth: as many queries judged by people alone",
            "p-value: whether people judged other queries than the rest (Welch's t test)",
        ]

    def _columns_of_frame(self) -> dict[str, Any]:
        """Return the numbers as columns of the frame of another result."""
        names = [column.name for column in self._columns[1:]]
        return {f"human_{name.removeprefix('n_')}": getattr(self, name) for name in names}

    def _lines(self, names: Sequence[str] | None = None) -> list[str]:
        """Return the lines below the table of another result."""
        lines = []
        columns = self._table().columns.values()
        for name, numbers in zip(names or [""], zip(*columns, strict=True), strict=True):
            n_queries, weight, correlation, bias, low, high, *_ = map(as_cell, numbers)
            worth = f"as precise as {numbers[-2]:.0f} queries judged by people; {n_queries} were"
            if np.isnan(numbers[-2]):
                worth = f"{n_queries} queries judged by people, too few or too alike to say more"
            lines += [
                f"{name}{': ' * bool(name)}{worth}",
                f"weight of the model's labels {weight}, correlation {correlation}, bias {bias} "
                f"({low} to {high})",
            ]
        return lines


MOST_WITH_LETTERS = len(ascii_letters)
"""More systems have no letters, since these would be too many to read."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Ranks(MarkdownResult):
    """The ranks that systems can have: which ones are tied with the first?

    There is one row per metric, group and system. The systems of a metric and group are sorted
    from the best mean to the worst. Ranks are equal if all their values are. NaN equals NaN.

    Attributes
    ----------
    systems : tuple of str
        The system of each row.

    metrics : tuple of str, or None
        The metric of each row. None for one metric without a name.

    groups : tuple, or None
        The group of queries of each row. None without `by`.

    mean : ndarray of float64 of shape (n_rows,)
        The mean of the system over its queries.

    best : ndarray of int64 of shape (n_rows,)
        The best rank that the system can have: 1 plus the number of systems that are
        significantly better.

    worst : ndarray of int64 of shape (n_rows,)
        The worst rank: the number of systems minus those that are significantly worse.

    tier : ndarray of int64 of shape (n_rows,)
        The tier, from 1 on: the first system and all that cannot be separated from it, then the
        first of the rest and all that cannot be separated from that one, and so on.

    letters : tuple of str, or None
        The letters of a compact letter display. Two systems share a letter if, and only if, they
        cannot be separated. None for more than 52 systems, which have too many.

    confidence_level : float
        The probability that all systems of a metric have one of their ranks. It is that of all
        metrics together for ``family="all"``.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...] | None
    groups: tuple[Any, ...] | None
    mean: Floats
    best: Ints
    worst: Ints
    tier: Ints
    letters: tuple[str, ...] | None
    confidence_level: float

    _columns = (
        Column("system", "systems", title="", kind="name"),
        Column("metric", "metrics", kind="name"),
        Column("group", "groups", kind="name"),
        *columns_of("mean", "best", "worst", "tier"),
        Column("letters", kind="word"),
    )

    def __len__(self) -> int:
        return len(self.systems)

    def to_frame(self) -> Any:
        """Return the ranks as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per system, with its metric and group if there are any.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._frame()

    def _notes(self) -> list[str]:
        level = as_percent(self.confidence_level)
        return [
            f"best and worst: the ranks that the systems can have, all of them at {level}",
            "tier 1: the systems that cannot be separated from the first",
            *["systems that share a letter cannot be separated"] * (self.letters is not None),
        ]


class SystemOrder(NamedTuple):
    """Systems from the best mean to the worst."""

    order: Ints
    best: Ints
    worst: Ints
    tier: Ints
    letters: list[str]
    """They are empty if there are too many systems."""


def ranked(means: Floats, is_better: Bools) -> SystemOrder:
    """Return the order of systems, and in this order their ranks, tiers and letters.

    `is_better` says which system, by row, is significantly better than another, by column. If
    each of these findings is right, which has the probability of the level, the true rank of a
    system is below all that are better and above all that are worse.
    """
    order = np.argsort(-means, kind="stable")
    is_better = is_better[np.ix_(order, order)]
    best = 1 + is_better.sum(axis=0)
    worst = len(order) - is_better.sum(axis=1)
    tier = np.zeros(len(order), dtype=np.int64)
    while not tier.all():
        # This is the first system without a tier.
        first = int(np.argmin(tier))
        tier[(tier == 0) & ~is_better[first]] = tier.max() + 1
    letters = _letters(is_better | is_better.T) if len(order) <= MOST_WITH_LETTERS else []
    return SystemOrder(order, best, worst, tier, letters)


def _letters(is_apart: Bools) -> list[str]:
    """Return the letters of systems, of which any two share one unless they are apart.

    The sets of systems with a letter are found by the insert-and-absorb algorithm of Piepho
    (2004): for each pair that is apart, each set with both becomes two, one without each of them,
    and a set that is inside another one goes.
    """
    sets = np.ones((1, len(is_apart)), dtype=bool)
    for one, other in np.argwhere(np.triu(is_apart)):
        has_both = sets[:, one] & sets[:, other]
        without = np.repeat(sets[has_both], 2, axis=0)
        without[::2, one] = without[1::2, other] = False
        sets = _without_subsets(np.concatenate([sets[~has_both], without]))
    sets = sets[np.lexsort((~sets).T[::-1])]  # the set of the first system comes first
    names = ascii_letters if len(sets) <= len(ascii_letters) else None
    return [
        "".join(names[place] if names else f"({place + 1})" for place in np.flatnonzero(column))
        for column in sets.T
    ]


def _without_subsets(sets: Bools) -> Bools:
    """Return sets without those that are inside another one, each once."""
    sets = np.unique(sets, axis=0)
    n_common = sets.astype(np.int64) @ sets.T.astype(np.int64)
    is_inside = n_common == n_common.diagonal()[:, np.newaxis]
    np.fill_diagonal(is_inside, val=False)
    return np.asarray(sets[~is_inside.any(axis=1)])
