"""The compared pairs of systems, and the units that are drawn: queries or clusters of them.

Everything that estimates a mean works on units with a value and a weight. The value of a cluster
is the mean of its queries, and its weight is the sum of their weights, so the mean of all units is
that of all queries. It is a ratio of two sums, and its standard error is that of a ratio::

    m = sum(w x) / sum(w),    error^2 = n / (n - 1) sum(w^2 (x - m)^2) / sum(w)^2

over n units with values x and weights w. That is the estimator of surveys (Cochran, 1977). If the
weights differ, Student's t takes another one: see `error_of_t`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base._errors import list_some, warn_caller

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CELLS = 2**21
"""The number of differences, and of statistics of resamples, that are in memory at once."""
ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""Two scores are equal except for rounding if their relative difference is below this."""
_FEW = 10
"""With fewer effective units, a warning is issued."""
_EQUAL = 0.9
"""Units are nearly equal if their effective number is at least this share of their number."""
_LEAST_DEGREES = 0.1
"""One unit has nearly all of the weight. The quantile of 97.5 % then exceeds 1e12 already."""
SAME = 1e-12
"""A sum is 0 except for rounding if, relative to the sum of absolute terms, it is below this."""


class Sample(NamedTuple):
    """Columns of values without NaN, one value per unit."""

    values: Floats
    """(n_units, n_columns)."""
    weight: Floats | None
    """The weight of each value, (n_units, n_columns) or (n_units, 1). None: all weigh the same."""

    def weighed(self, values: Floats) -> Floats:
        """Return values times their weights."""
        return values if self.weight is None else values * self.weight

    def total_weight(self) -> Floats | int:
        """Return the sum of the weights."""
        return len(self.values) if self.weight is None else self.weight.sum(axis=0)

    def mean(self) -> Floats:
        """Return the mean of each column. A sum of roundings is 0."""
        terms = self.weighed(self.values)
        total = terms.sum(axis=0)
        total[np.abs(total) <= SAME * np.abs(terms).sum(axis=0)] = 0
        # Equal values have that value as their mean.
        lowest, highest = self.values.min(axis=0), self.values.max(axis=0)
        # Where max-T has no values, there are zeros without a weight.
        total_weight = np.maximum(self.total_weight(), np.finfo(np.float64).tiny)
        return np.asarray(np.clip(total / total_weight, lowest, highest))

    def centred(self) -> Floats:
        """Return the values minus their mean. A difference of roundings is 0."""
        centred = self.values - self.mean()
        centred[np.abs(centred) <= SAME * np.abs(self.values).max(axis=0)] = 0
        return centred


def error_of(sample: Sample) -> Floats:
    """Return the standard error of each mean, which is a ratio of sums if there are weights."""
    n_units = len(sample.values)
    spread = (sample.weighed(sample.centred()) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(spread * n_units / (n_units - 1)) / sample.total_weight())


class Units(NamedTuple):
    """The weights and the clusters of some queries."""

    weight: Floats | None = None
    """The weight of each query, (n_queries,). None: all weigh the same."""
    cluster: Ints | None = None
    """The number of each query's cluster, (n_queries,). None: each query is a unit."""
    n_clusters: int = 0

    def take(self, queries: Any) -> Units:
        """Return the units of some queries. Clusters that none of them is in are left out."""
        weight = None if self.weight is None else self.weight[queries]
        if self.cluster is None:
            return Units(weight)
        names, cluster = np.unique(self.cluster[queries], return_inverse=True)
        return Units(weight, cluster, len(names))

    def and_one(self, group: Ints) -> Units:
        """Return the units and one more in each group, of its mean weight, a query by itself."""
        if self.are_queries():
            return self
        weight = np.ones(len(group)) if self.weight is None else self.weight
        group_of_unit = group
        if self.cluster is not None:
            group_of_unit = np.unique(np.array([group, self.cluster]), axis=1)[0]
        n_units = np.bincount(group_of_unit)
        weight = np.append(weight, np.bincount(group, weight) / n_units)
        if self.cluster is None:
            return Units(weight)
        n_clusters = self.n_clusters + len(n_units)
        cluster = np.append(self.cluster, np.arange(self.n_clusters, n_clusters))
        return Units(weight, cluster, n_clusters)

    def are_queries(self) -> bool:
        """Return whether each query is a unit, and all weigh the same."""
        return self.weight is None and self.cluster is None

    def are_alike(self, n_queries: int) -> bool:
        """Return whether each query has a unit of its own, and all weigh the same."""
        is_alone = self.cluster is None or self.n_clusters == n_queries
        weight = self.weight
        return is_alone and (weight is None or bool((weight == weight[0]).all()))

    def span(self, group: Ints) -> bool:
        """Return whether a cluster has queries in several groups."""
        if self.cluster is None:
            return False
        pairs = np.unique(np.array([self.cluster, group]), axis=1)
        return int(pairs.shape[1]) > self.n_clusters

    def count(self, n_queries: int) -> int:
        """Return the number of units."""
        return n_queries if self.cluster is None else self.n_clusters

    def called(self) -> str:
        """Return what the units are."""
        return "queries" if self.cluster is None else "clusters"

    def too_few(self) -> str:
        """Return the reason for a result without a spread, in words."""
        return f"fewer than two {self.called()} have a score"

    def values(self, values: Floats) -> Sample:
        """Return the value and the weight of each unit, from columns of values per query.

        A value may be NaN. A unit whose values are all NaN has the value NaN.
        """
        if self.cluster is None:
            return Sample(values, None if self.weight is None else self.weight[:, np.newaxis])
        weight_of_query = np.ones(len(values)) if self.weight is None else self.weight
        is_there = ~np.isnan(values)
        weight = self._total(is_there * weight_of_query[:, np.newaxis])
        terms = np.where(is_there, values, 0) * weight_of_query[:, np.newaxis]
        total = self._total(terms)
        total[np.abs(total) <= ROUNDING * self._total(np.abs(terms))] = 0
        with np.errstate(invalid="ignore"):
            return Sample(total / weight, weight)

    def _total(self, values: Floats) -> Floats:
        """Return the sum of each column over each cluster."""
        n_queries = len(values)
        shape = self.n_clusters, n_queries
        member = csr_array((np.ones(n_queries), (self.cluster, np.arange(n_queries))), shape)
        return np.asarray(member @ values)


def columns_by_missing(values: Floats, units: Units) -> Iterator[tuple[Ints, Floats, Units]]:
    """Yield the columns that lack values on the same queries, with the other queries."""
    patterns: dict[bytes, list[int]] = {}
    for number, column in enumerate(np.isnan(values).T):
        patterns.setdefault(np.packbits(column).tobytes(), []).append(number)
    for numbers in patterns.values():
        columns = np.array(numbers)
        is_there = ~np.isnan(values[:, numbers[0]])
        if is_there.all():
            yield columns, values[:, columns], units
        else:
            yield columns, values[np.ix_(is_there, columns)], units.take(is_there)


def effective(weight: Floats) -> Floats:
    """Return the effective number of units: how many equal weights would say as much (Kish)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(weight.sum(axis=0) ** 2 / (weight**2).sum(axis=0))


def degrees_of_freedom(n_effective: Floats | float) -> Floats:
    """Return the degrees of freedom of Student's t: one less than the effective number of units.

    The spread of units with unequal weights is known as badly as that of fewer equal ones.
    """
    return np.asarray(np.maximum(np.asarray(n_effective) - 1, _LEAST_DEGREES))


def error_of_t(sample: Sample, error: Floats) -> Floats:
    """Return the standard errors that Student's t takes for the means of at least two units.

    `error` are those of surveys, which are too small if a few units have most of the weight, since
    such units pull the mean towards themselves. If all values have the same variance, that of
    x - m is smaller by the factor in the denominator, with the share p of each unit in the
    weights::

        error^2 = sum(p^2 (x - m)^2 / (1 - 2 p + sum(p^2)))

    So this error has no bias (Bell and McCaffrey, 2002). With equal weights it is that of surveys.
    The denominator is (1 - p)^2 plus the sum of p^2 over all other units.
    """
    weight = sample.weight
    if weight is None or (weight == weight[0]).all():
        return error
    is_largest = np.arange(len(weight))[:, np.newaxis] == weight.argmax(axis=0)
    # Without the largest weight, the rounding of the sum is relative to the others.
    without_largest = (np.where(is_largest, 0, weight) ** 2).sum(axis=0)
    squares = np.where(is_largest, without_largest, (weight**2).sum(axis=0) - weight**2)
    left = np.hypot(weight.sum(axis=0) - weight, np.sqrt(squares))
    left = np.maximum(left, np.finfo(np.float64).tiny)  # the others may be too small to be squared
    return np.asarray(np.sqrt(((sample.weighed(sample.centred()) / left) ** 2).sum(axis=0)))


def slack_of(observed: Floats) -> Floats:
    """Return how far rounding may move a value from an observed one."""
    return np.where(np.isfinite(observed), SAME * np.abs(observed), 0) * 100


def limit_at(mean: Floats, error: Floats, t: Floats | float, observed: Floats) -> Floats:
    """Return the mean that is t standard errors below the observed mean, whose t is `observed`.

    A test rejects all means beyond it. If the two t are the same except for rounding, the limit is
    0, since the test does not reject 0, and so the interval must contain 0.
    """
    with np.errstate(invalid="ignore"):  # t is infinite without spread
        is_zero = np.abs(t - observed) <= slack_of(observed)
        return np.where(is_zero, 0.0, mean - error * t)


class QueryGroups(NamedTuple):
    """A grouping of the queries."""

    number_of_query: Ints
    """The number of each query's group, (n_queries,)."""
    number_of_row: Ints
    """The number of the group that each row is about, (n_rows,)."""


class ComparedPairs(NamedTuple):
    """The compared pairs of systems, each with the column of the scores."""

    systems: list[Floats]
    """The values of each system, (n_queries, n_columns)."""
    a: Ints
    b: Ints
    column: Ints
    ids: NDArray[Any] | None = None
    """The ids of the queries."""
    units: Units = Units()
    groups: QueryGroups | None = None
    """The group of queries that each row is about. None: each row is about all queries."""
    shift: float = 0.0
    """What is added to each difference."""

    def differences(self, rows: Any) -> Floats:
        """Return the differences of some of the rows, (n_queries, n_rows).

        They are NaN for queries of other groups.
        """
        places = zip(self.a[rows], self.b[rows], self.column[rows], strict=True)
        shape = len(self.a[rows]), len(self.systems[0])
        differences = np.empty(shape).T  # each column is in one piece
        for row, (a, b, k) in enumerate(places):
            differences[:, row] = subtract(self.systems[b][:, k], self.systems[a][:, k])
        if self.shift:
            differences += self.shift
        if self.groups is not None:
            differences[
                self.groups.number_of_query[:, np.newaxis] != self.groups.number_of_row[rows]
            ] = np.nan
        return differences

    def slack(self, rows: Any) -> Floats:
        """Return how far rounding may move the sums of these differences from 0, (n_rows,)."""
        places = zip(self.a[rows], self.b[rows], self.column[rows], strict=True)
        weight = 1.0 if self.units.weight is None else self.units.weight
        slack = np.empty(len(self.a[rows]))
        for row, (a, b, k) in enumerate(places):
            slack[row] = np.nansum(
                weight * _rounding(self.systems[b][:, k], self.systems[a][:, k])
            )
        return slack

    def on_same_queries(self, family: Ints) -> Iterator[tuple[Ints, ComparedPairs]]:
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
        queries_of_family: dict[int, Bools] = {}
        for number, has_both in zip(family.tolist(), self._has_both(), strict=True):
            queries_of_family[number] = queries_of_family.get(number, False) | has_both
        patterns: dict[bytes, tuple[Bools, list[int]]] = {}
        for number, is_there in queries_of_family.items():
            patterns.setdefault(is_there.tobytes(), (is_there, []))[1].append(number)
        for is_there, numbers in patterns.values():
            places = np.flatnonzero(np.isin(family, numbers))
            if is_there.all():
                yield places, self.take(places)
            else:  # one query is kept if there would be none
                kept = is_there if is_there.any() else np.arange(len(is_there)) == 0
                yield places, self.take(places)._take_queries(kept)

    def _has_both(self) -> Iterator[Bools]:
        """Yield the queries on which each row has a difference."""
        has_score = [~np.isnan(system) for system in self.systems]
        for row, (a, b, k) in enumerate(zip(self.a, self.b, self.column, strict=True)):
            has_both = has_score[a][:, k] & has_score[b][:, k]
            if self.groups is not None:
                has_both &= self.groups.number_of_query == self.groups.number_of_row[row]
            yield has_both

    def take(self, places: Ints) -> ComparedPairs:
        """Return some of the rows."""
        groups = self.groups
        if groups is not None:
            groups = groups._replace(number_of_row=groups.number_of_row[places])
        a, b, column = (value[places] for value in (self.a, self.b, self.column))
        return self._replace(a=a, b=b, column=column, groups=groups, ids=None)

    def _take_queries(self, kept: Bools) -> ComparedPairs:
        """Return the rows with some of the queries."""
        groups = self.groups
        if groups is not None:
            groups = groups._replace(number_of_query=groups.number_of_query[kept])
        systems = [system[kept] for system in self.systems]
        return self._replace(systems=systems, units=self.units.take(kept), groups=groups)

    def and_one(self, values_a: Floats, values_b: Floats) -> ComparedPairs:
        """Return the rows with an imaginary query, or one in each group.

        On it, the first system of a row has the first values, (n_columns,), and the other one the
        others. So a system that is first in some rows, and the other one in others, comes twice.
        """
        groups, group_of_query = self.groups, np.zeros(len(self.systems[0]), dtype=np.int64)
        if groups is not None:
            group_of_query = groups.number_of_query
            group_of_all = np.append(group_of_query, np.arange(group_of_query.max() + 1))
            groups = groups._replace(number_of_query=group_of_all)
        n_more = int(group_of_query.max()) + 1
        systems: list[Floats] = []
        places = []
        for values, numbers in ((values_a, self.a), (values_b, self.b)):
            systems_of_side, place = np.unique(numbers, return_inverse=True)
            places.append(place.ravel() + len(systems))
            more = np.tile(values, (n_more, 1))
            systems += [np.vstack([self.systems[k], more]) for k in systems_of_side.tolist()]
        a, b = places
        units = self.units.and_one(group_of_query)
        return self._replace(systems=systems, a=a, b=b, units=units, groups=groups, ids=None)

    def n_units(self) -> int:
        """Return the number of queries, or of clusters of queries."""
        return self.units.count(len(self.systems[0]))

    def is_plain(self) -> bool:
        """Return whether all queries are units, weigh the same, and have all differences."""
        is_plain = self.units.are_queries() and self.groups is None
        return is_plain and all(map(np.all, self._has_both()))

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


def warn_of_few(
    counts: tuple[Floats, Floats | Ints], names: Any, function: str, units: Units, advice: str
) -> None:
    """Warn of columns with so few effective units that tests and intervals say little.

    `counts` are the effective numbers of units and the numbers of units. Nothing is said of a
    single unit, with which tests and intervals are undefined.
    """
    n_effective, n_units = counts
    n_effective = np.where(n_units < 2, np.inf, n_effective)
    few = describe_few(n_effective, n_units, units)
    if few:
        which = list_some(list(compress(names or (), _are_few(n_effective, n_units).tolist())))
        what = f"{function} ({which})" if which else function
        warn_caller(f"{what}: {few}. {advice}.", UserWarning)


def describe_few(n_effective: Floats, n_units: Floats | Ints, units: Units) -> str:
    """Return in words that there are few effective units, and what to do, or nothing."""
    is_few = _are_few(n_effective, n_units)
    if units.are_queries() or not is_few.any():
        return ""
    few = f"only {n_effective[is_few].min():.1f} effective {units.called()}"
    alike = "weight" if units.cluster is None else "size"
    return f"{few}. Add {units.called()} of about equal {alike} until {_FEW} are effective"


def _are_few(n_effective: Floats, n_units: Floats | Ints) -> Bools:
    """Return whether there are few effective units. For two equal ones or more, t holds anyway."""
    is_unequal = (n_effective < _EQUAL * n_units) | (n_units < 2)
    return np.asarray((n_effective < _FEW * (1 - SAME)) & is_unequal)
