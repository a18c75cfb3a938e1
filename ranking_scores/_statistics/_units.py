"""The units that are drawn: queries or clusters of them, with their weights.

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
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import (
    ById,
    Indexes,
    are_same_ids,
    by_id,
    check_finite_weights,
    check_identifiers,
    invalid,
    unique_identifiers,
    warn_caller,
)
from ranking_scores._metrics import list_some
from ranking_scores._statistics._resampling import Sample

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""A sum over a cluster is 0 if, relative to the sum of absolute terms, it is below this."""
_FEW = 10
"""With fewer effective units, a warning is issued."""
_EQUAL = 0.9
"""Units are nearly equal if their effective number is at least this share of their number."""
_LEAST_DEGREES = 0.1
"""One unit has nearly all of the weight. The quantile of 97.5 % then exceeds 1e12 already."""


class Units(NamedTuple):
    """The weights and the clusters of some queries."""

    weight: Floats | None = None
    """The weight of each query, (n_queries,). None: all weigh the same."""
    cluster: Ints | None = None
    """The number of each query's cluster, (n_queries,). None: each query is a unit."""
    n_clusters: int = 0

    def of_queries(self, queries: Any) -> Units:
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
        of_unit = group
        if self.cluster is not None:
            of_unit = np.unique(np.array([group, self.cluster]), axis=1)[0]
        n_units = np.bincount(of_unit)
        weight = np.append(weight, np.bincount(group, weight) / n_units)
        if self.cluster is None:
            return Units(weight)
        n_clusters = self.n_clusters + len(n_units)
        cluster = np.append(self.cluster, np.arange(self.n_clusters, n_clusters))
        return Units(weight, cluster, n_clusters)

    def are_queries(self) -> bool:
        """Return whether each query is a unit, and all weigh the same."""
        return self.weight is None and self.cluster is None

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
        of_query = np.ones(len(values)) if self.weight is None else self.weight
        is_there = ~np.isnan(values)
        weight = self._total(is_there * of_query[:, np.newaxis])
        terms = np.where(is_there, values, 0) * of_query[:, np.newaxis]
        total = self._total(terms)
        total[np.abs(total) <= _ROUNDING * self._total(np.abs(terms))] = 0
        with np.errstate(invalid="ignore"):
            return Sample(total / weight, weight)

    def _total(self, values: Floats) -> Floats:
        """Return the sum of each column over each cluster."""
        n_queries = len(values)
        shape = self.n_clusters, n_queries
        member = csr_array((np.ones(n_queries), (self.cluster, np.arange(n_queries))), shape)
        return np.asarray(member @ values)


def by_missing(values: Floats, units: Units) -> Iterator[tuple[Ints, Floats, Units]]:
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
            yield columns, values[np.ix_(is_there, columns)], units.of_queries(is_there)


def effective(weight: Floats) -> Floats:
    """Return the effective number of units: how many equal weights would say as much (Kish)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(weight.sum(axis=0) ** 2 / (weight**2).sum(axis=0))


def degrees_of(n_effective: Floats | float) -> Floats:
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
    without_largest = (np.where(is_largest, 0, weight) ** 2).sum(axis=0)  # rounded relative to it
    squares = np.where(is_largest, without_largest, (weight**2).sum(axis=0) - weight**2)
    left = np.hypot(weight.sum(axis=0) - weight, np.sqrt(squares))
    left = np.maximum(left, np.finfo(np.float64).tiny)  # the others may be too small to be squared
    return np.asarray(np.sqrt(((sample.weighed(sample.centred()) / left) ** 2).sum(axis=0)))


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
    """Return in words that there are few effective units, or nothing if there are enough."""
    is_few = _are_few(n_effective, n_units)
    if units.are_queries() or not is_few.any():
        return ""
    return f"only {n_effective[is_few].min():.1f} effective {units.called()}"


def _are_few(n_effective: Floats, n_units: Floats | Ints) -> Bools:
    """Return whether there are few effective units. For two equal ones or more, t holds anyway."""
    is_unequal = (n_effective < _EQUAL * n_units) | (n_units < 2)
    return np.asarray((n_effective < _FEW) & is_unequal)


class PerQuery(NamedTuple):
    """Reads values of some queries: those with ids by these ids, and others by position."""

    n_queries: int
    ids: NDArray[Any] | None
    """The ids of the queries. None: they are not known."""
    code_of_ids: str
    indexes: Indexes
    function: str

    def weight(self, given: Any) -> Floats:
        """Return the weight of each query."""
        with_ids, values = self._read(given, "sample_weight")
        array = check_finite_weights(values, "sample_weight", self.function)
        array = cast(Floats, self._in_order(with_ids, array, "sample_weight"))
        if not array.any():
            expected = "positive for at least one query"
            raise invalid("sample_weight", self.function, expected, "only zeros")
        return array

    def names(self, given: Any, parameter: str) -> tuple[NDArray[Any], Ints]:
        """Return the different names in a column of names, and the number of each query's name."""
        with_ids, values = self._read(given, parameter)
        array = check_identifiers(values, parameter, self.function)
        array = self._in_order(with_ids, array, parameter)
        return unique_identifiers(array, parameter, self.function)

    def _read(self, given: Any, parameter: str) -> tuple[ById | None, Any]:
        """Return values with their ids, or None if they are in the order of the queries."""
        with_ids = given if isinstance(given, ById) else None
        if with_ids is None and not self._is_in_order(given):
            otherwise = "If its values are in the order of the queries, pass `.to_numpy()`."
            with_ids = by_id(given, parameter, self.function, self.code_of_ids, otherwise)
        if with_ids is None:
            self.indexes.check(parameter, given)
            return None, given
        return with_ids, with_ids.values

    def _is_in_order(self, given: Any) -> bool:
        """Return whether pandas data is in the order of the queries, or ids are not known."""
        if not hasattr(given, "iloc"):
            return False
        return self.ids is None or are_same_ids(np.asarray(given.index), self.ids)

    def _in_order(self, with_ids: ById | None, array: NDArray[Any], parameter: str) -> Any:
        """Return values in the order of the queries."""
        if with_ids is not None:
            return with_ids.in_order(array, self.ids, parameter, self.function)
        if array.shape != (self.n_queries,):
            expected = f"of shape ({self.n_queries},), one {_CALLED[parameter]} per query"
            raise invalid(parameter, self.function, expected, f"shape {array.shape}")
        return array


_CALLED = {"sample_weight": "weight", "clusters": "cluster", "by": "group"}
