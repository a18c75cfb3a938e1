"""The largest t statistic of a family of comparisons, over flips of signs or samples of units.

Under flips, the p-values are exact if the systems could change places on each query. The intervals
take flips of the differences minus their mean, since flips of the differences themselves make the
critical value too low if systems really differ. They are asymptotic.

Samples of units assume no symmetry. The p-value of a row is then the larger one of both, and never
below that of flips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores.significance._resampling import (
    N_IN_BLOCK,
    ResampleBlock,
    Resamples,
    SumsOfDraws,
    at_share,
    draws,
    flips,
    t_statistic,
)
from ranking_scores.significance._tests import (
    SignificanceSettings,
    Summary,
    TestResult,
    alpha_of,
    exponent_of,
    limits,
)
from ranking_scores.significance._units import SAME, ComparedPairs, Sample, slack_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CELLS = 2**16
"""The number of t statistics that are computed at once. They fit into the cache of a core."""
_CLOSE = 1e-3
"""If the standard deviation of differences is below this, relative to the largest score, they are
summed themselves: the difference of two sums would have lost too many digits."""

Statistics = Callable[[ResampleBlock], Iterator[tuple[slice, list[Floats]]]]
"""Yields slices of the rows, and some kinds of their t statistics, (n_resamples, n_rows) each, for
some resamples."""


class Families(NamedTuple):
    """Rows that max-T corrects, each in its family."""

    rows: ComparedPairs
    family: Ints
    """The number of each row's family."""
    summary: Summary
    settings: SignificanceSettings

    def verdict(self) -> TestResult:
        """Return the corrected p-values, and the simultaneous intervals."""
        corrected = TestResult(*np.empty((4, len(self.family))))
        for places, part in self.rows.on_same_queries(self.family):
            own_summary = self.summary.take(places)
            results = max_t_verdict(part, self.family[places], own_summary, self.settings)
            for values, own in zip(corrected, results, strict=True):
                values[places] = own
        return corrected

    def found_stepwise(self, pvalue: Floats) -> Bools:
        """Return which rows are significant if those that are found leave their family.

        `pvalue` are those of the whole families. The largest t statistic is then that of the other
        rows, until none of them is found (Romano and Wolf, 2005).
        """
        alpha = alpha_of(self.settings.level)
        is_found = is_new = pvalue <= alpha
        while is_new.any():
            left = np.flatnonzero(~is_found & np.isin(self.family, self.family[is_new]))
            is_new = np.zeros_like(is_found)
            if left.size:
                others = Families(
                    self.rows.take(left), self.family[left], self.summary.take(left), self.settings
                )
                is_new[left] = others.verdict().pvalue <= alpha
            is_found = is_found | is_new
        return is_found


def max_t_verdict(
    rows: ComparedPairs, family: Ints, summary: Summary, settings: SignificanceSettings
) -> TestResult:
    """Return p-values and intervals from the largest t statistic of each family.

    All families have the same queries, and the rows are sorted by family.
    """
    alternative = settings.alternative
    n_units, n_resamples = rows.n_units(), settings.n_resamples
    resamples = flips(n_resamples, settings.seed)
    exact, centred = _largest(_flips_of(rows, summary), resamples, n_units, family, alternative)
    observed = _as_large(summary.t, alternative)
    pvalue, critical = _pvalues(observed, family, exact), _critical(family, centred, settings)
    if settings.test == "bootstrap":
        resamples = draws(n_resamples, settings.seed)
        [drawn] = _largest(_draws_of(rows), resamples, n_units, family, alternative)
        pvalue = np.maximum(pvalue, _pvalues(observed, family, drawn))
        critical = np.maximum(critical, _critical(family, drawn, settings))
    pvalue[np.isnan(observed)] = np.nan
    low = np.full_like(critical, -np.inf) if alternative == "less" else -critical
    high = np.full_like(critical, -np.inf) if alternative == "greater" else -critical
    return TestResult(pvalue, *limits(summary, low, high), np.sign(summary.mean))


def _as_large(t: Floats, alternative: str) -> Floats:
    """Return how far t statistics are on the side, or sides, of the alternative."""
    if alternative == "two-sided":
        return np.abs(t)
    return t if alternative == "greater" else -t


def _largest(
    parts: Iterator[tuple[Ints, Statistics]],
    resamples: Resamples,
    n_units: int,
    family: Ints,
    alternative: str,
) -> list[Floats]:
    """Return the largest t of each family, (n_resamples, n_families), for each kind of t.

    Each part has the positions of some rows, in order, and their statistics.
    """
    found: list[NDArray[np.float64]] = []
    numbers, number = np.unique(family, return_inverse=True)
    for rows, statistics in parts:
        for place, block in enumerate(resamples(n_units)):
            for part, kinds in statistics(block):
                own, starts = np.unique(number[rows[part]], return_index=True)
                if place == len(found):
                    found.append(np.full((len(kinds), len(block), len(numbers)), -np.inf))
                for largest, t in zip(found[place], kinds, strict=True):
                    in_part = np.maximum.reduceat(_as_large(t, alternative), starts, axis=1)
                    largest[:, own] = np.maximum(largest[:, own], in_part)
    return list(np.concatenate(found, axis=1))


def _pvalues(observed: Floats, family: Ints, largest: Floats) -> Floats:
    """Return the share of resamples with a t statistic that is at least as large."""
    pvalue = np.empty_like(observed)
    for number, t in zip(np.unique(family), largest.T, strict=True):
        own, in_order = family == number, np.sort(t)
        least = observed[own] - slack_of(observed[own])
        n_above = in_order.size - np.searchsorted(in_order, least)
        pvalue[own] = (1 + n_above) / (1 + in_order.size)
    return pvalue


def _critical(family: Ints, largest: Floats, settings: SignificanceSettings) -> Floats:
    """Return the number of standard errors from the mean of each row to its limits."""
    critical = -at_share(-largest, alpha_of(settings.level))
    _, number = np.unique(family, return_inverse=True)
    return np.asarray(critical[number])


# Flips have two t statistics: that of the differences and that of the centred differences.


def _flips_of(rows: ComparedPairs, summary: Summary) -> Iterator[tuple[Ints, Statistics]]:
    """Yield the statistics of flips of all rows."""
    others = np.arange(len(rows.a))
    if rows.is_plain():
        others = np.zeros(0, dtype=np.int64)
        for column in np.unique(rows.column):
            places = np.flatnonzero(rows.column == column)
            scores = _RelativeScores(rows, places)
            is_close = scores.are_close(summary.deviation[places])
            if not is_close.all():
                yield places[~is_close], scores.statistics(~is_close, summary, places)
            others = np.append(others, places[is_close])
    for places in rows.chunks(np.sort(others), N_IN_BLOCK):
        yield places, _flips_of_differences(rows, places)


class _RelativeScores:
    """The scores by one metric of the systems in some rows, minus those of the first system.

    The sum of differences is the difference of two sums of scores, and there are far fewer systems
    than pairs of them. They are read in blocks of queries.
    """

    def __init__(self, rows: ComparedPairs, places: Ints) -> None:
        systems, number = np.unique([rows.a[places], rows.b[places]], return_inverse=True)
        self._a, self._b = number.reshape(2, -1)
        column = int(rows.column[places[0]])
        self._systems = [rows.systems[system][:, column] for system in systems]
        self._reference = rows.systems[rows.a[places[0]]][:, column]
        self._largest = np.array([np.abs(one - self._reference).max() for one in self._systems])
        self._exponent = exponent_of(self._largest[:, np.newaxis].max(axis=0, keepdims=True))
        self.shape = len(self._reference), len(systems)

    def __getitem__(self, queries: slice) -> Floats:
        """Return the scores on some queries, (n_queries, n_systems), divided by a power of 2."""
        reference = self._reference[queries]
        columns = [system[queries] - reference for system in self._systems]
        scores: Floats = np.ldexp(np.column_stack(columns), -self._exponent)
        return scores

    def are_close(self, deviation: Floats) -> NDArray[np.bool_]:
        """Return whether the systems of each row are too close for differences of sums."""
        largest = np.maximum(self._largest[self._a], self._largest[self._b])
        is_far: NDArray[np.bool_] = deviation > _CLOSE * largest
        return ~is_far

    def statistics(self, kept: NDArray[np.bool_], summary: Summary, places: Ints) -> Statistics:
        """Return the statistics of some of the rows."""
        n_queries = self.shape[0]
        mean, deviation = (
            np.ldexp(value[places[kept]], -self._exponent)
            for value in (summary.mean, summary.deviation)
        )
        centred_squares = (n_queries - 1) * deviation**2
        a, b, total = self._a[kept], self._b[kept], n_queries * mean
        squares = centred_squares + total * mean
        zero = SAME * np.sqrt(n_queries * squares)  # it is at least SAME * sum(abs(differences))
        n_flipped = np.ones((n_queries, 1))

        def statistics(block: ResampleBlock) -> Iterator[tuple[slice, list[Floats]]]:
            sums, count = block.times(self, n_flipped)
            step = max(1, _CELLS // len(block))
            for start in range(0, len(a), step):
                part = slice(start, start + step)
                flipped = sums[:, b[part]] - sums[:, a[part]]
                kinds = []
                for twice, all_squares in (
                    (total[part] - 2 * flipped, squares[part]),
                    (2 * (count * mean[part] - flipped), centred_squares[part]),
                ):
                    twice[np.abs(twice) <= zero[part]] = 0
                    spread = all_squares - twice**2 / n_queries
                    kinds.append(t_statistic(twice, spread, all_squares, n_queries))
                yield part, kinds

        return statistics


def _flips_of_differences(rows: ComparedPairs, places: Ints) -> Statistics:
    """Return the statistics of flips of some rows, from their differences."""
    sample, is_there = _sample_of(rows, places)
    mean = sample.mean()
    centred = np.where(is_there, sample.values - mean, 0)
    kinds = [_SumsOfFlips(sample, values, is_there) for values in (sample.values, centred)]
    return lambda block: iter([(slice(None), [kind.t(block) for kind in kinds])])


class _SumsOfFlips:
    """What the t statistics of flips need of some columns of values, with weights."""

    def __init__(self, sample: Sample, values: Floats, is_there: NDArray[np.bool_]) -> None:
        terms = sample.weighed(values)
        terms[np.abs(terms) <= SAME * np.abs(sample.weighed(sample.values)).max(axis=0)] = 0
        self._has_weights = not _are_01(sample.weight)
        self._columns = [terms, sample.weighed(terms)] if self._has_weights else [terms]
        self._sums = [column.sum(axis=0) for column in self._columns]
        self._zero = SAME * np.abs(terms).sum(axis=0)
        self._squares = (terms**2).sum(axis=0)
        self._weight = np.maximum(sample.total_weight(), np.finfo(np.float64).tiny)
        self._weight_squared = (sample.weighed(np.ones_like(terms)) ** 2).sum(axis=0)
        self._n_units = is_there.sum(axis=0)

    def t(self, block: ResampleBlock) -> Floats:
        """Return the t statistic of each column for each set of flips."""
        flips = block.times(*self._columns)
        total, *others = (total - 2 * sums for total, sums in zip(self._sums, flips, strict=True))
        total[np.abs(total) <= self._zero] = 0
        # This is the sum of the values times their weight squared.
        second = others[0] if others else total
        mean = total / self._weight
        spread = self._squares - 2 * mean * second + mean**2 * self._weight_squared
        return t_statistic(total, spread, self._squares, self._n_units)


# Samples of units have one t statistic.


def _draws_of(rows: ComparedPairs) -> Iterator[tuple[Ints, Statistics]]:
    """Yield the statistics of samples of units of all rows."""
    for places in rows.chunks(np.arange(len(rows.a)), N_IN_BLOCK):
        yield places, _draws_of_differences(rows, places)


def _draws_of_differences(rows: ComparedPairs, places: Ints) -> Statistics:
    """Return the statistics of samples of units of some rows."""
    sample, is_there = _sample_of(rows, places)
    centred = np.where(is_there, sample.centred(), 0)
    is_plain = is_there.all() and _are_01(sample.weight)
    sums = SumsOfDraws(centred, *((None, None) if is_plain else (sample.weight, is_there)))
    return lambda block: iter([(slice(None), [sums.t(block)])])


# Flips and samples share the rest.


def _are_01(weight: Floats | None) -> bool:
    """Return whether weights are 1, or 0 where there is no value."""
    return weight is None or bool(((weight == 0) | (weight == 1)).all())


def _sample_of(rows: ComparedPairs, places: Ints) -> tuple[Sample, NDArray[np.bool_]]:
    """Return the units of some rows, and which values are there. The others are 0."""
    differences = rows.differences(places)
    sample = rows.units.values(np.ldexp(differences, -exponent_of(differences)))
    is_there = ~np.isnan(sample.values)
    weight = np.where(is_there, 1.0 if sample.weight is None else sample.weight, 0)
    return Sample(np.where(is_there, sample.values, 0), weight), is_there
