"""Confidence intervals of the means of columns of scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from ranking_scores._base import _exact
from ranking_scores._base._errors import invalid, list_some, warn_caller, warn_of_undefined
from ranking_scores._base._exact import Moments, Sums, moments_of, weighted_sum
from ranking_scores._base._results import (
    ROW_NAMES,
    TabularResult,
    as_percent,
    columns_of,
    count_clusters,
    read_only,
)
from ranking_scores.significance._resampling import Resamples, at_share, draws, t_of_draws
from ranking_scores.significance._results import HumanLabels, notes_on_infinite, span
from ranking_scores.significance._systems import ScoredSystems
from ranking_scores.significance._tests import are_01, clopper_pearson, exponent_of, wilson
from ranking_scores.significance._units import (
    SAME,
    Sample,
    Units,
    columns_by_missing,
    degrees_of_freedom,
    effective,
    error_of,
    error_of_t,
    warn_of_few,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ConfidenceInterval(TabularResult):
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
        people judged some of the queries, and "ppi-share" if all scores are then 0 or 1.

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

    _columns = (
        ROW_NAMES,
        *columns_of("mean", "low", "high", "standard_error", "n_queries", "n_undefined"),
        *columns_of("n_effective", "method", is_printed=False),
    )

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
        return self._frame(**{} if self.human is None else self.human._columns_of_frame())

    def _names(self) -> Sequence[str]:
        return self.metrics or ("",)

    def _methods(self) -> list[str]:
        """Return the method of each column."""
        return [self.method] if isinstance(self.method, str) else list(self.method)

    def _notes(self) -> list[str]:
        columns: dict[str, list[str]] = {}
        for name, method in zip(self._names(), self._methods(), strict=True):
            columns.setdefault(method, []).append(name)
        parts = [
            METHODS_BY_NAME[method].words + (f" ({list_some(names)})" if len(columns) > 1 else "")
            for method, names in columns.items()
        ]
        lines = [f"{as_percent(self.confidence_level)} intervals: {', '.join(parts)}"]
        effective, all_queries = np.ravel(self.n_effective), np.ravel(self.n_queries)
        if self.n_clusters is not None:
            count = count_clusters(self.n_clusters)
            lines.append(f"{count}, effectively {span(effective)}")
        elif (effective != all_queries).any():
            lines.append(f"effectively {span(effective)} queries, since they have weights")
        human_parts = [] if self.human is None else self.human._lines(self.metrics)
        return [*lines, *notes_on_infinite(self.low, self.high), *human_parts]


_FEW_HITS = 40
"""With fewer scores of 0 and 1, Wilson's interval covers some shares in less than 90 %."""
_SYMMETRIC = 1e-6
"""Means of a lower skewness have none: the inverse of Hall's transformation would lose digits."""

ALL_EQUAL = "all scores are equal, so the interval has no width"


class IntervalMethod(NamedTuple):
    """How intervals are computed."""

    name: str
    level: float
    n_resamples: int
    seed: int

    def name_if_unknown(self) -> str:
        """Return the name of the method of columns with too few scores to choose one."""
        return "t" if self.name == "auto" else self.name

    def draws(self) -> Resamples:
        """Return the resamples."""
        return draws(self.n_resamples, self.seed)

    def tails(self) -> tuple[float, float]:
        """Return the probabilities of lower values than the two limits."""
        return (1 - self.level) / 2, (1 + self.level) / 2


Limits = tuple[Floats, Floats]


def interval_of(
    system: ScoredSystems, method: IntervalMethod, function: str
) -> ConfidenceInterval:
    """Return the mean of each column with its interval. Warn of intervals that say nothing."""
    interval, n_units = interval_and_units(system, method, function)
    names = interval.metrics
    low, n_effective = map(np.atleast_1d, (interval.low, interval.n_effective))
    warn_of_undefined(np.isnan(low).tolist(), function, names, system.units.too_few())
    is_point = are_points(interval)
    if is_point.any():
        which = list_some(list(compress(names or (), is_point.tolist())))
        what = f"{function} ({which})" if which else function
        reason = f"{ALL_EQUAL}. It says nothing about others"
        warn_caller(f"{what}: {reason}.", UserWarning)
    advice = "The interval may be too short"
    warn_of_few((n_effective, n_units), names, function, system.units, advice)
    return interval


def are_points(interval: ConfidenceInterval) -> NDArray[np.bool_]:
    """Return which intervals have no width, since all scores are equal."""
    have_width = _are_of_shares(interval._methods())
    return np.asarray((np.atleast_1d(interval.standard_error) == 0) & ~have_width)


def interval_and_units(
    system: ScoredSystems, method: IntervalMethod, function: str
) -> tuple[ConfidenceInterval, Floats]:
    """Return the mean of each column with its interval, and the number of its units.

    For shares, it is that of their queries.
    """
    [given], units = system.systems.values(), system.units
    exponent, may_be_shares = exponent_of(given.values), given.may_be_shares()
    n_columns = given.values.shape[1]
    result, (n_effective, n_units) = np.full((4, n_columns), np.nan), np.zeros((2, n_columns))
    taken = np.full(n_columns, method.name_if_unknown(), dtype=object)
    for columns, values, own in columns_by_missing(np.ldexp(given.values, -exponent), units):
        if len(values):
            one = np.ldexp(1.0, -exponent[columns])
            are_shares = may_be_shares[columns]
            part = _ScaledColumns(values, own.values(values), own, one, are_shares)
            result[:, columns], taken[columns] = _interval(part, method, function)
            n_effective[columns], n_units[columns] = part.n_effective(), len(part.sample.values)
            # Units of shares are few beside their queries, as clusters of equal sizes are, too.
            n_units[columns[_are_of_shares(taken[columns].tolist())]] = len(values)
    result = np.ldexp(result, exponent)
    result[1:3] = given.in_range(result[1:3])
    n_queries = (~np.isnan(given.values)).sum(axis=0)
    numbers = (*result, n_queries, n_effective)
    return interval_from(system, numbers, taken.tolist(), method.level), n_units


def interval_from(
    system: ScoredSystems,
    columns: Sequence[NDArray[Any]],
    methods: Sequence[str],
    level: float,
    human: HumanLabels | None = None,
) -> ConfidenceInterval:
    """Return the result from means, limits, standard errors, numbers and effective numbers."""
    [given], units = system.systems.values(), system.units
    *numbers, n_queries, n_effective = columns
    keys = ("mean", "low", "high", "standard_error", "n_queries", "n_undefined", "n_effective")
    found = (*numbers, n_queries, len(given.values) - n_queries, n_effective)
    return ConfidenceInterval._of(
        **{
            key: column[0].item() if given.is_single else read_only(column)
            for key, column in zip(keys, found, strict=True)
        },
        n_clusters=None if units.cluster is None else units.n_clusters,
        metrics=given.names,
        method=methods[0] if given.is_single else tuple(methods),
        confidence_level=level,
        human=human,
    )


class _ScaledColumns(NamedTuple):
    """Columns without NaN, each divided by a power of two."""

    values: Floats
    """(n_queries, n_columns)."""
    sample: Sample
    """The same by units."""
    units: Units
    one: Floats
    """The score 1, divided by these powers, (n_columns,)."""
    may_be_shares: NDArray[np.bool_]
    """Whether a mean of 0 and 1 is a share of the queries, (n_columns,)."""

    def n_effective(self) -> float:
        """Return the effective number of units."""
        weight = self.sample.weight
        return float(len(self.values) if weight is None else effective(weight)[0])

    def are_01(self) -> NDArray[np.bool_]:
        """Return which columns have no other scores than 0 and 1, and can have no others."""
        are_ends = (self.values == 0) | (self.values == self.one)
        return np.asarray(are_ends.all(axis=0) & self.may_be_shares)


def _interval(
    part: _ScaledColumns, method: IntervalMethod, function: str
) -> tuple[Floats, NDArray[Any]]:
    """Return means, limits and standard errors, (4, n_columns), and the methods of the limits."""
    n_columns, n_queries = part.values.shape[1], len(part.values)
    mean, error = _means_and_errors(part)
    low, high = np.full((2, n_columns), np.nan)
    taken = np.full(n_columns, method.name_if_unknown(), dtype=object)
    if len(part.sample.values) > 1:
        row, own = METHODS_BY_NAME[method.name], part.are_01()
        if row.of_shares is not None and not own.all():
            expected = "another method, since not all scores are 0 or 1, or can be nothing else"
            raise invalid("method", function, expected, repr(method.name))
        # By the simulations of benchmarks/significance.py, t covers as often as BCa or more often.
        if row.limits is not None:
            low, high = row.limits(part.sample, method)
        else:
            t_error = error_of_t(part.sample, error)
            low, high = t_interval(mean, t_error, part.n_effective(), method.level)
        if (row.of_shares is not None or method.name == "auto") and own.any():
            values, weight = part.sample  # in which all columns have the same weights
            weight = None if weight is None else weight[:, :1]
            shares = Sample(values[:, own] / part.one[own], weight)
            taken[own], *limits = limits_of_shares(shares, part.units, n_queries, method)
            low[own], high[own] = (limit * part.one[own] for limit in limits)
        is_point = (error == 0) & ~_are_of_shares(taken.tolist())
        low, high = (np.where(is_point, mean, limit) for limit in (low, high))
    return np.array([mean, low, high, error]), taken


def _means_and_errors(part: _ScaledColumns) -> Limits:
    """Return the mean of each column, and its standard error, as reports have them."""
    weight = part.units.weight
    sums = [Sums(weighted_sum(column, weight)) for column in part.values.T]
    mean = np.array([column.mean() for column in sums])
    if part.units.cluster is not None:
        n_units = len(part.sample.values)
        return mean, error_of(part.sample) if n_units > 1 else mean * np.nan
    moments = moments_of(part.values, weight)
    pairs = zip(sums, moments, strict=True)
    return mean, np.array([_exact.standard_error(*pair, Moments()) for pair in pairs])


def limits_of_shares(
    sample: Sample, units: Units, n_queries: int, method: IntervalMethod
) -> tuple[NDArray[Any], Floats, Floats]:
    """Return the methods and the limits of the means of columns of 0 and 1."""
    hits = sample.values.sum(axis=0)
    n_alike = np.full((2, len(hits)), float(n_queries))
    if not units.are_alike(n_queries):
        n_alike = _independent_queries(sample, n_queries, method.level)
        hits = sample.mean() * n_alike
    names = np.full(n_alike.shape[1], method.name, dtype=object)
    if method.name == "auto":
        names = np.array([method_of_share(n) for n in n_alike.min(axis=0)], dtype=object)
    low, high = np.full((2, len(names)), np.nan)
    for name in set(names):
        own, of_shares = names == name, METHODS_BY_NAME[name].of_shares
        assert of_shares is not None
        lows, highs = of_shares(hits, n_alike, method.level)
        low[own], high[own] = lows[0, own], highs[1, own]
    return names, low, high


def _independent_queries(sample: Sample, n_queries: int, level: float) -> Floats:
    """Return how many independent queries say as much about each limit of shares, (2, n_columns).

    It is the number of queries, divided by how many times larger the variance of the share is than
    that of such queries, which is at least 1. Units without a miss, or with few, look more alike
    than they are. So the variance is that with half an imaginary unit more, of the size that the
    unit of a query has on average, which has only misses for the lower limit, and only hits for
    the upper one. The variance of few units is known badly: as in Korn and Graubard (1998), the
    quantiles of t, which are wider for them, reduce the number.
    """
    values, weight = sample.values, sample.weight
    assert weight is not None
    n_units, total = effective(weight), weight.sum()
    more = (weight**2).sum() / total / 2
    n_more = n_queries * (1 + more / total)
    degrees = np.array([n_queries - 1, degrees_of_freedom(n_units).item()])
    t_of_queries, t_of_units = stdtrit(degrees, (1 + level) / 2)
    share_of_number = []
    for score in (0.0, 1.0):
        with_one = Sample(np.vstack([values, score + 0 * values[:1]]), np.vstack([weight, [more]]))
        mean = with_one.mean()
        variance = error_of_t(with_one, error_of(with_one)) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            share_of_number.append(mean * (1 - mean) / (n_more - 1) / variance)
    most = n_queries * (t_of_queries / t_of_units) ** 2
    return np.asarray(most * np.fmin(share_of_number, 1))


def t_interval(
    mean: Floats, error: Floats, n_effective: float | Floats, level: float
) -> tuple[Floats, Floats]:
    """Return the limits of means by the t distribution, with so many effective units."""
    width = stdtrit(degrees_of_freedom(n_effective), (1 + level) / 2) * error
    return mean - width, mean + width


def limits_of_curve(evaluation: Any, curve: Limits, level: float, is_share: bool) -> Limits:
    """Return limits without resamples of the means of columns: those of t, or of shares.

    `curve` has the means and their standard errors. If items give weights, those of other queries
    are random, too. Only the usual errors know it.
    """
    (mean, error), units = curve, Units()
    values, weight, by_items = evaluation.values, evaluation.weight, evaluation.weight_by_items
    low, high = np.full((2, len(mean)), np.nan)
    if weight is not None:
        values, weight = values[weight > 0], weight[weight > 0]
        units = Units(np.ldexp(weight, -exponent_of(weight[:, np.newaxis])))
    method = IntervalMethod("auto", level, n_resamples=0, seed=0)
    for columns, part, own in columns_by_missing(values, units):
        sample, t_error = own.values(part), error[columns]
        if len(part) > 1 and by_items is None:
            t_error = error_of_t(sample, t_error)
        n_effective = len(part) if sample.weight is None else effective(sample.weight)
        low[columns], high[columns] = t_interval(mean[columns], t_error, n_effective, level)
        is_01 = are_01(part) & (len(part) > 1 and is_share and by_items is None)
        if is_01.any():
            shares, places = sample._replace(values=part[:, is_01]), columns[is_01]
            _, low[places], high[places] = limits_of_shares(shares, own, len(part), method)
    return low, high


def _percentile(sample: Sample, method: IntervalMethod) -> Limits:
    """Return the limits of the middle part of the means of samples."""
    low, high = np.quantile(_means_of_draws(sample, method.draws()), method.tails(), axis=0)
    return low, high


def _bca(sample: Sample, method: IntervalMethod) -> Limits:
    """Return the limits of the bias-corrected and accelerated interval of each mean.

    In the notation of Efron (1987), m is the mean, and ::

        z0 = the normal quantile of the share of samples whose mean is below m
        a  = sum (x - m)^3 / (6 (sum (x - m)^2)^1.5)

    The lower limit is the quantile of the means at N(z0 + (z0 + z) / (1 - a (z0 + z))), where z is
    the normal quantile of (1 - level) / 2. For the mean, a equals the value of the jackknife.
    """
    drawn, mean = _means_of_draws(sample, method.draws()), sample.mean()
    slack = SAME * np.abs(sample.values).mean(axis=0)
    below = ((drawn < mean - slack).mean(axis=0) + (drawn <= mean + slack).mean(axis=0)) / 2
    half = 0.5 / len(drawn)
    z0, a = ndtri(np.clip(below, half, 1 - half)), _cumulants(sample)[1] / 6
    limits = []
    for z in ndtri(method.tails()):
        shares = ndtr(_shifted(z, z0, a))
        pairs = zip(drawn.T, shares, strict=True)
        limits.append(np.array([np.quantile(column, share) for column, share in pairs]))
    return limits[0], limits[1]


def _shifted(z: float, z0: Floats, a: Floats) -> Floats:
    """Return the normal quantile that BCa takes in the place of z."""
    return np.asarray(z0 + (z0 + z) / (1 - a * (z0 + z)))


def _expansion(sample: Sample, method: IntervalMethod) -> Limits:
    """Return the limits of BCa by the expansion of Cornish and Fisher, without resamples.

    The quantile of the standardized mean of samples is, with its skewness g and kurtosis k, ::

        z + g (z^2 - 1) / 6 + k (z^3 - 3 z) / 24 - g^2 (2 z^3 - 5 z) / 36

    and z0 = a = g / 6.
    """
    error, g, k = _cumulants(sample)
    limits = []
    for tail in ndtri(method.tails()):
        z = _shifted(tail, g / 6, g / 6)
        more = g * (z**2 - 1) / 6 + k * (z**3 - 3 * z) / 24 - g**2 * (2 * z**3 - 5 * z) / 36
        limits.append(sample.mean() + error * (z + more))
    return limits[0], limits[1]


def _cumulants(sample: Sample) -> tuple[Floats, Floats, Floats]:
    """Return the standard deviation, the skewness and the kurtosis of the mean of samples.

    The mean of units with weights is that of their influences w (x - m) / mean(w), nearly.
    """
    influence = sample.weighed(sample.centred())
    spread = (influence**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = np.nan_to_num((influence**3).sum(axis=0) / spread**1.5)
        kurtosis = (influence**4).sum(axis=0) / spread**2 - 3 / len(influence)
    return np.sqrt(spread) / sample.total_weight(), skewness, np.nan_to_num(kurtosis)


def skewness_of_means(values: Floats, units: Units) -> Floats:
    """Return the skewness of the mean of each column, which falls with the root of the units.

    It is that of the sample, with the usual correction for few units, divided by this root.
    """
    skewness = np.zeros(values.shape[1])
    for columns, own, own_units in columns_by_missing(
        np.ldexp(values, -exponent_of(values)), units
    ):
        n = own_units.count(len(own))
        if n > 2:
            found = _cumulants(own_units.values(own))[1]
            skewness[columns] = found * (np.sqrt(n * (n - 1)) / (n - 2))
    return skewness


def limit_if_skewed(mean: Floats, error: Floats, skewness: Floats, t: Floats) -> Floats:
    """Return the mean that is t standard errors below the observed mean, by Hall's transformation.

    With the skewness g of the mean, the statistic t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 has nearly
    the distribution that t has without skewness (Hall, 1992). Its inverse is ::

        3 / g ((1 + g (t - g / 6))^(1/3) - 1)
    """
    g = np.where(np.abs(skewness) > _SYMMETRIC, skewness, 1.0)
    inverse = 3 / g * (np.cbrt(1 + g * (t - g / 6)) - 1)
    return mean - error * np.where(np.abs(skewness) > _SYMMETRIC, inverse, t)


def _studentized(sample: Sample, method: IntervalMethod) -> Limits:
    """Return the limits from the t statistics of samples."""
    drawn, tail = t_of_draws(sample, method.draws()), method.tails()[0]
    mean, error = sample.mean(), error_of(sample)
    highest, lowest = -at_share(-drawn, tail), at_share(drawn, tail)
    return mean - error * highest, mean - error * lowest


def _means_of_draws(sample: Sample, resamples: Resamples) -> Floats:
    """Return the mean of each column in each sample of its units."""
    terms, means = sample.weighed(sample.values), []
    weight = np.ones((len(terms), 1)) if sample.weight is None else sample.weight
    for block in resamples(len(terms)):
        total, total_weight = block.times(terms, weight)
        means.append(total / total_weight)
    return np.concatenate(means)


class MethodRow(NamedTuple):
    """A method of confidence intervals: its limits, and what others need to know of it."""

    words: str
    """Its name in sentences."""
    limits: Callable[[Sample, IntervalMethod], Limits] | None = None
    """The limits of means. None: those of t."""
    of_shares: Callable[[Floats, Any, float], Limits] | None = None
    """The limits of scores of 0 and 1, if it is for such scores alone."""
    is_random: bool = False
    """Whether it resamples."""


METHODS_BY_NAME = {
    "auto": MethodRow(""),
    "t": MethodRow("Student's t"),
    "bca": MethodRow("BCa bootstrap", _bca, is_random=True),
    "percentile": MethodRow("percentile bootstrap", _percentile, is_random=True),
    "studentized": MethodRow("studentized bootstrap", _studentized, is_random=True),
    "expansion": MethodRow("BCa by an expansion", _expansion),
    "wilson": MethodRow("Wilson", of_shares=wilson),
    "exact": MethodRow("Clopper and Pearson", of_shares=clopper_pearson),
    "ppi": MethodRow("prediction-powered, Student's t"),
    "ppi-share": MethodRow("prediction-powered, for scores of 0 and 1"),
}
"""The methods by their names. "auto" is that of the scores. The last ones are those of people's
labels, "ppi-share" for scores of 0 and 1."""
METHODS = tuple(name for name in METHODS_BY_NAME if not name.startswith("ppi"))
"""The methods of confidence intervals."""


def method_of_share(n_queries: float) -> str:
    """Return the method that "auto" takes for scores of 0 and 1."""
    return "exact" if n_queries < _FEW_HITS else "wilson"


def share_limits(n_hits: Floats, n_queries: float, level: float) -> Limits:
    """Return the limits of a share of some queries by the method that "auto" takes."""
    limits = METHODS_BY_NAME[method_of_share(n_queries)].of_shares
    assert limits is not None
    return limits(n_hits, n_queries, level)


def _are_of_shares(names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which of some methods are for scores of 0 and 1 alone."""
    return np.array([METHODS_BY_NAME[name].of_shares is not None for name in names], dtype=bool)
