"""The compared pairs of systems, and their differences on each query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._statistics._units import Units

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CELLS = 2**21
"""The number of differences, and of statistics of resamples, that are in memory at once."""
ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""Two scores are equal except for rounding if their relative difference is below this."""


class Groups(NamedTuple):
    """A grouping of the queries."""

    of_query: Ints
    """The number of each query's group, (n_queries,)."""
    of_row: Ints
    """The number of the group that each row is about, (n_rows,)."""


class Rows(NamedTuple):
    """The compared pairs of systems, each with the column of the scores."""

    systems: list[Floats]
    """The values of each system, (n_queries, n_columns)."""
    a: Ints
    b: Ints
    column: Ints
    ids: NDArray[Any] | None = None
    """The ids of the queries."""
    units: Units = Units()
    groups: Groups | None = None
    """The group of queries that each row is about. None: each row is about all queries."""
    shift: float = 0.0
    """What is added to each difference."""

    def differences(self, rows: Any) -> Floats:
        """Return the differences of some of the rows, (n_queries, n_rows).

        They are NaN for queries of other groups.
        """
        places = zip(self.a[rows], self.b[rows], self.column[rows], strict=True)
        columns = [subtract(self.systems[b][:, k], self.systems[a][:, k]) for a, b, k in places]
        differences = np.array(columns).T  # so that columns are contiguous
        if self.shift:
            differences += self.shift
        if self.groups is not None:
            differences[self.groups.of_query[:, np.newaxis] != self.groups.of_row[rows]] = np.nan
        return differences

    def slack(self, rows: Any) -> Floats:
        """Return how far rounding may move the sums of these differences from 0, (n_rows,)."""
        places = zip(self.a[rows], self.b[rows], self.column[rows], strict=True)
        weight = 1.0 if self.units.weight is None else self.units.weight
        of_rows = [_rounding(self.systems[b][:, k], self.systems[a][:, k]) for a, b, k in places]
        return np.array([np.nansum(each * weight) for each in of_rows])

    def on_same_queries(self, family: Ints) -> Iterator[tuple[Ints, Rows]]:
        """Yield the positions of rows whose families have the same queries, and these rows.

        A family has every query that at least one of its rows has. Other queries are left out, so
        that max-T flips no sign of a query that no difference of the family comes from, and finds
        the same p-values as if the query had not been passed.

        For instance, a and b are compared by two metrics, each a family, and so are a and c. A
        dash is an undefined score::

                      ndcg           map          rows: 0  b - a, ndcg    family 0
            query   a   b   c     a   b   c             1  c - a, ndcg    family 0
              0    .5  .6  .7    .4  .5  .6             2  b - a, map     family 1
              1    .5  .6   -    .4  .5  .6             3  c - a, map     family 1
              2    .5   -   -    .4  .5  .6

        Family 0 has the queries 0 and 1, though row 1 has only query 0, and family 1 has all
        three. So there are two steps: positions 0 and 1 with the first two queries of each system,
        then positions 2 and 3 with all queries. If query 2 were defined everywhere, both families
        would have the same queries, and one step would yield all four rows.
        """
        of_family: dict[int, Bools] = {}
        for number, has_both in zip(family.tolist(), self._has_both(), strict=True):
            of_family[number] = of_family.get(number, False) | has_both
        patterns: dict[bytes, tuple[Bools, list[int]]] = {}
        for number, is_there in of_family.items():
            patterns.setdefault(is_there.tobytes(), (is_there, []))[1].append(number)
        for is_there, numbers in patterns.values():
            places = np.flatnonzero(np.isin(family, numbers))
            if is_there.all():
                yield places, self.take(places)
            else:  # if there is no query, keep one
                kept = is_there if is_there.any() else np.arange(len(is_there)) == 0
                yield places, self.take(places)._of_queries(kept)

    def _has_both(self) -> Iterator[Bools]:
        """Yield the queries on which each row has a difference."""
        has_score = [~np.isnan(each) for each in self.systems]
        for row, (a, b, k) in enumerate(zip(self.a, self.b, self.column, strict=True)):
            has_both = has_score[a][:, k] & has_score[b][:, k]
            if self.groups is not None:
                has_both &= self.groups.of_query == self.groups.of_row[row]
            yield has_both

    def take(self, places: Ints) -> Rows:
        """Return some of the rows."""
        groups = self.groups
        if groups is not None:
            groups = groups._replace(of_row=groups.of_row[places])
        a, b, column = (each[places] for each in (self.a, self.b, self.column))
        return self._replace(a=a, b=b, column=column, groups=groups, ids=None)

    def _of_queries(self, kept: Bools) -> Rows:
        """Return the rows with some of the queries."""
        groups = self.groups
        if groups is not None:
            groups = groups._replace(of_query=groups.of_query[kept])
        systems = [each[kept] for each in self.systems]
        return self._replace(systems=systems, units=self.units.of_queries(kept), groups=groups)

    def and_one(self, of_a: Floats, of_b: Floats) -> Rows:
        """Return the rows with an imaginary query, or one in each group.

        On it, the first system of a row has the first values, (n_columns,), and the other one the
        others. So a system that is first in some rows, and the other one in others, comes twice.
        """
        groups, of_query = self.groups, np.zeros(len(self.systems[0]), dtype=np.int64)
        if groups is not None:
            of_query = groups.of_query
            of_all = np.append(of_query, np.arange(of_query.max() + 1))
            groups = groups._replace(of_query=of_all)
        n_more = int(of_query.max()) + 1
        systems: list[Floats] = []
        places = []
        for values, numbers in ((of_a, self.a), (of_b, self.b)):
            of_side, place = np.unique(numbers, return_inverse=True)
            places.append(place.ravel() + len(systems))
            more = np.tile(values, (n_more, 1))
            systems += [np.vstack([self.systems[each], more]) for each in of_side.tolist()]
        a, b = places
        units = self.units.and_one(of_query)
        return self._replace(systems=systems, a=a, b=b, units=units, groups=groups, ids=None)

    def n_queries(self) -> Ints:
        """Return the number of queries of each row, with a difference or without."""
        if self.groups is None:
            return np.full(len(self.a), len(self.systems[0]))
        return np.asarray(np.bincount(self.groups.of_query)[self.groups.of_row])

    def n_units(self) -> int:
        """Return the number of queries, or of clusters of queries."""
        return self.units.count(len(self.systems[0]))

    def is_plain(self) -> bool:
        """Return whether all queries are units, weigh the same, and have all differences."""
        is_alone = self.units.weight is None and self.units.cluster is None
        return is_alone and self.groups is None and all(each.all() for each in self._has_both())

    def chunks(self, places: Ints, n_at_once: int) -> Iterator[Ints]:
        """Yield some rows in parts that are small enough for the memory that their tests need.

        `n_at_once` is the number of resamples whose statistics are in memory at once.
        """
        longest = max(n_at_once, len(self.systems[0]))
        n_rows = max(1, _CELLS // longest)
        for first in range(0, len(places), n_rows):
            yield places[first : first + n_rows]


def subtract(scores: Floats, others: Floats) -> Floats:
    """Return the differences of scores. Differences of a few roundings become 0."""
    difference = scores - others
    return np.where(np.abs(difference) <= _rounding(scores, others), 0.0, difference)


def _rounding(scores: Floats, others: Floats) -> Floats:
    """Return how far rounding may have moved equal scores apart: not at all if they are equal."""
    rounding = ROUNDING * np.maximum(np.abs(scores), np.abs(others))
    return np.where(scores == others, 0.0, rounding)
