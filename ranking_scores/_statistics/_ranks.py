"""The ranks that systems can have, from the comparisons of all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_letters
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import as_percent, pandas_for
from ranking_scores._statistics._results import Result, Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_WITH_LETTERS = len(ascii_letters)
"""More systems have no letters, since these would be too many to read."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Ranks(Result):
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
        pandas = pandas_for("Ranks.to_frame")
        names = {"system": self.systems, "metric": self.metrics, "group": self.groups}
        columns = {**names, **self._numbers(), "letters": self.letters}
        return pandas.DataFrame({key: each for key, each in columns.items() if each is not None})

    def to_markdown(self) -> str:
        """Return the table in Markdown.

        Returns
        -------
        text : str
            The table and the notes.
        """
        return self._table().as_markdown()

    def _numbers(self) -> dict[str, list[Any]]:
        keys = ("mean", "best", "worst", "tier")
        return {key: getattr(self, key).tolist() for key in keys}

    def _table(self) -> Table:
        names = {"metric": self.metrics, "group": self.groups}
        more = {key: list(map(str, each)) for key, each in names.items() if each is not None}
        level = as_percent(self.confidence_level)
        notes = [
            f"best and worst: the ranks that the systems can have, all of them at {level}",
            "tier 1: the systems that cannot be separated from the first",
        ]
        if self.letters is None:
            return Table(self._numbers(), {"": self.systems, **more}, notes)
        notes.append("systems that share a letter cannot be separated")
        words = {"letters": self.letters}
        return Table(self._numbers(), {"": self.systems, **more}, notes, words=words)


class Order(NamedTuple):
    """Systems from the best mean to the worst."""

    order: Ints
    best: Ints
    worst: Ints
    tier: Ints
    letters: list[str]
    """They are empty if there are too many systems."""


def ranked(means: Floats, is_better: Bools) -> Order:
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
        first = int(np.argmin(tier))  # the first without one
        tier[(tier == 0) & ~is_better[first]] = tier.max() + 1
    letters = _letters(is_better | is_better.T) if len(order) <= MOST_WITH_LETTERS else []
    return Order(order, best, worst, tier, letters)


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
        "".join(names[each] if names else f"({each + 1})" for each in np.flatnonzero(column))
        for column in sets.T
    ]


def _without_subsets(sets: Bools) -> Bools:
    """Return sets without those that are inside another one, each once."""
    sets = np.unique(sets, axis=0)
    n_common = sets.astype(np.int64) @ sets.T.astype(np.int64)
    is_inside = n_common == n_common.diagonal()[:, np.newaxis]
    np.fill_diagonal(is_inside, val=False)
    return np.asarray(sets[~is_inside.any(axis=1)])
