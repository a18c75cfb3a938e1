"""Is B better than A? Intervals of means, and tests of paired differences.

Scores are those of each query, as ``average=None`` or `ranking_report` returns them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, compress
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_random_state

from ranking_scores._differences import (
    RANDOM,
    TESTS,
    Settings,
    Summary,
    Tested,
    alpha_of,
    benjamini_hochberg,
    by_missing,
    count_needed,
    detectable,
    holm,
    limits,
    run_test,
    summarize,
    t_interval,
)
from ranking_scores._evaluate import frames_to_caller
from ranking_scores._exact import Moments, Sums, moments_of, weighted_sum
from ranking_scores._exact import standard_error as exact_standard_error
from ranking_scores._queries._index import Indexes, name_at
from ranking_scores._resampling import (
    FEW,
    Resamples,
    at_share,
    bca,
    draws,
    flips,
    largest_t,
    means_of_draws,
    percentiles,
    slack_of,
)
from ranking_scores._signatures import hide_types
from ranking_scores._text import as_cell, as_html, as_text, as_title, pandas_for
from ranking_scores._validation import (
    check_option,
    check_real,
    check_real_array,
    describe,
    invalid,
)
from ranking_scores.report import RankingReport, locked
from ranking_scores.streaming import StreamingScore

__all__ = [
    "Comparison",
    "Comparisons",
    "ConfidenceInterval",
    "compare",
    "compare_all",
    "confidence_interval",
    "queries_needed",
]


def __dir__() -> list[str]:
    return __all__


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_METHODS = ("bca", "percentile", "t")
_ALTERNATIVES = ("two-sided", "greater", "less")
_CORRECTIONS = ("max-t", "holm", "bh")
_CELLS = 2**21
"""So many differences, and statistics of resamples, are there at once."""
_SHOWN = 40
"""So many rows the text of a result shows."""
_TITLES = {
    "pvalue": "p-value",
}
_NAMES_OF_TESTS = {
    "t": "paired t test",
    "permutation": "permutation test",
    "wilcoxon": "Wilcoxon's test",
    "bootstrap": "bootstrap test",
}
_NAMES_OF_CORRECTIONS = {"max-t": "max-T", "holm": "Holm", "bh": "Benjamini and Hochberg"}


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceInterval:
    """What `confidence_interval` returns: numbers, or an array of them for several columns.

    Attributes
    ----------
    mean : float or ndarray
        The mean over the queries.

    low : float or ndarray
        The lower limit of the interval.

    high : float or ndarray
        The upper limit of the interval.

    standard_error : float or ndarray
        The standard error of the mean: the standard deviation over the square root of the number
        of queries.

    n_queries : int or ndarray
        The number of queries that the mean is over.

    n_undefined : int or ndarray
        The number of queries that are left out, since their score is NaN.

    names : tuple of str, or None
        The names of the columns; None for one column without a name.

    method : str
        How the interval was made: "bca", "percentile" or "t".

    confidence_level : float
        The share of such intervals that contain what they are about.
    """

    mean: float | Floats
    low: float | Floats
    high: float | Floats
    standard_error: float | Floats
    n_queries: int | Ints
    n_undefined: int | Ints
    names: tuple[str, ...] | None
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
        return pandas.DataFrame(self._columns(), index=list(self.names or [""]))

    def __repr__(self) -> str:
        return _as_text(self._columns(), self._notes(), list(self.names or [""]))

    def _repr_html_(self) -> str:
        return _as_html(self._columns(), self._notes(), list(self.names or [""]))

    def _columns(self) -> dict[str, list[Any]]:
        keys = ("mean", "low", "high", "standard_error", "n_queries", "n_undefined")
        return {key: np.ravel(getattr(self, key)).tolist() for key in keys}

    def _notes(self) -> list[str]:
        method = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap", "t": "Student's t"}
        return [f"{_percent(self.confidence_level)} intervals: {method[self.method]}"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `compare` returns, and each row of `Comparisons`: two systems on the same queries.

    Attributes
    ----------
    name_a : str
        The name of the system that the other one is compared with; "a" in `compare`.

    name_b : str
        The name of the other system; "b" in `compare`.

    metric : str or None
        The name of the score, where it is known.

    difference : float
        The mean of b minus the mean of a, over the queries that both have a score for.

    low : float
        The lower limit of the interval of the difference; -inf if it has none.

    high : float
        The upper limit of the interval of the difference; inf if it has none.

    pvalue : float
        The p-value, corrected if this is a row of `Comparisons` that are corrected.

    effect_size : float
        The difference over the standard deviation of the differences of the queries.

    detectable_difference : float
        The difference that a t test on so many queries would find with a chance of 80 %.

    wins : int
        The number of queries on which the score of b is higher.

    draws : int
        The number of queries on which both scores are equal.

    losses : int
        The number of queries on which the score of b is lower.

    n_queries : int
        The number of queries that were compared.

    n_dropped : int
        The number of queries that were left out, since one of the scores is NaN.

    test : str
        The test: "t", "permutation", "wilcoxon" or "bootstrap".

    alternative : str
        What the test looks for: "two-sided", "greater" or "less".

    correction : str or None
        How the p-value was corrected: "max-t", "holm", "bh", or None if it was not.

    confidence_level : float
        The confidence level of the interval.

    per_query : ndarray of float64 of shape (n_queries + n_dropped,)
        The difference of each query, b minus a; NaN for those that were left out.

    query_ids : ndarray of shape (n_queries + n_dropped,) or None
        The ids of the queries, where a report has them.
    """

    name_a: str
    name_b: str
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
    per_query: Floats
    query_ids: NDArray[Any] | None

    def to_frame(self) -> Any:
        """Return the comparison as a pandas DataFrame of one row.

        Returns
        -------
        frame : pandas.DataFrame
            The numbers of the comparison; the index is what is compared.

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

    def __repr__(self) -> str:
        return _as_text(self._columns(), self._notes(), [self._label()])

    def _repr_html_(self) -> str:
        return _as_html(self._columns(), self._notes(), [self._label()])

    def _label(self) -> str:
        of_metric = f", {self.metric}" if self.metric is not None else ""
        return f"{self.name_b} - {self.name_a}{of_metric}"

    def _columns(self) -> dict[str, list[Any]]:
        return {key: [getattr(self, key)] for key in _SHOWN_OF_COMPARISONS}

    def _notes(self) -> list[str]:
        lines = _describe_test(self, f"{_percent(self.confidence_level)} interval")
        power = f"80 % power for a difference of {as_cell(self.detectable_difference)}"
        return [_count(self.n_queries, self.n_dropped), lines, power]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """What `compare_all` returns: a row for each pair of systems and each metric.

    ``comparisons[0]`` is the `Comparison` of a row, and to loop over them gives all of these. Rows
    are ordered by metric first.

    Attributes
    ----------
    name_a : tuple of str
        The name of the system that the other one is compared with, in each row; all are the
        baseline if there is one.

    name_b : tuple of str
        The name of the other system.

    metric : tuple of str or None
        The name of the score; None if there is one without a name.

    difference : ndarray of float64 of shape (n_rows,)
        The mean of b minus the mean of a.

    low : ndarray of float64 of shape (n_rows,)
        The lower limits of the intervals: simultaneous ones for ``correction="max-t"``, else each
        for its row alone.

    high : ndarray of float64 of shape (n_rows,)
        The upper limits of these intervals.

    pvalues : ndarray of float64 of shape (n_rows,)
        The p-values, corrected.

    pvalues_uncorrected : ndarray of float64 of shape (n_rows,)
        The p-value of each row alone, as `compare` gives it.

    effect_size : ndarray of float64 of shape (n_rows,)
        The difference over the standard deviation of the differences of the queries.

    detectable_difference : ndarray of float64 of shape (n_rows,)
        The difference that a t test on so many queries would find with a chance of 80 %, without
        a correction.

    wins : ndarray of int64 of shape (n_rows,)
        The number of queries on which the score of b is higher.

    draws : ndarray of int64 of shape (n_rows,)
        The number of queries on which both scores are equal.

    losses : ndarray of int64 of shape (n_rows,)
        The number of queries on which the score of b is lower.

    n_queries : ndarray of int64 of shape (n_rows,)
        The number of queries that were compared.

    n_dropped : ndarray of int64 of shape (n_rows,)
        The number of queries that were left out, since one of the scores is NaN.

    baseline : str or None
        The system that all others are compared with; None if all pairs are compared.

    correction : str or None
        How the p-values were corrected: "max-t", "holm", "bh", or None if they were not.

    family : str
        What was corrected together: the rows of each "metric", or "all" rows.

    test : str
        The test: "t", "permutation", "wilcoxon" or "bootstrap".

    alternative : str
        What the test looks for: "two-sided", "greater" or "less".

    confidence_level : float
        The confidence level of the intervals.

    query_ids : ndarray of shape (n_all_queries,) or None
        The ids of the queries, where a report has them.

    is_significant : ndarray of bool of shape (n_rows,)
        Whether the corrected p-value is at most ``1 - confidence_level``.
    """

    name_a: tuple[str, ...]
    name_b: tuple[str, ...]
    metric: tuple[str, ...] | None
    difference: Floats
    low: Floats
    high: Floats
    pvalues: Floats
    pvalues_uncorrected: Floats
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
    query_ids: NDArray[Any] | None
    _rows: _Rows = field(init=False)

    @cached_property
    def is_significant(self) -> NDArray[np.bool_]:
        """Whether each corrected p-value is small enough."""
        return self.pvalues <= alpha_of(self.confidence_level)

    def __len__(self) -> int:
        return len(self.name_a)

    def __getitem__(self, row: int) -> Comparison:
        """Return the comparison of a row."""
        place = range(len(self))[row]
        return Comparison(
            **{key: column[place] for key, column in self._columns().items()},
            detectable_difference=float(self.detectable_difference[place]),
            n_queries=int(self.n_queries[place]),
            n_dropped=int(self.n_dropped[place]),
            name_a=self.name_a[place],
            name_b=self.name_b[place],
            metric=None if self.metric is None else self.metric[place],
            test=self.test,
            alternative=self.alternative,
            correction=self.correction,
            confidence_level=self.confidence_level,
            per_query=locked(self._rows.differences(slice(place, place + 1))[:, 0]),
            query_ids=self.query_ids,
        )

    def __iter__(self) -> Iterator[Comparison]:
        return map(self.__getitem__, range(len(self)))

    def to_frame(self) -> Any:
        """Return the comparisons as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per comparison, with the names of the two systems and of the metric, if that
            has one, and all numbers.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("Comparisons.to_frame")
        names = {"name_a": self.name_a, "name_b": self.name_b}
        names |= {} if self.metric is None else {"metric": self.metric}
        columns = self._columns() | {"pvalue_uncorrected": self.pvalues_uncorrected}
        more = ("detectable_difference", "n_queries", "n_dropped")
        return pandas.DataFrame(names | columns | {key: getattr(self, key) for key in more})

    def __repr__(self) -> str:
        return _as_text(self._columns(), self._notes(), self._labels(), self.metric)

    def _repr_html_(self) -> str:
        return _as_html(self._columns(), self._notes(), self._labels(), self.metric)

    def _labels(self) -> list[str]:
        return [f"{b} - {a}" for a, b in zip(self.name_a, self.name_b, strict=True)]

    def _columns(self) -> dict[str, list[Any]]:
        columns = vars(self) | {"pvalue": self.pvalues}
        return {key: columns[key].tolist() for key in _SHOWN_OF_COMPARISONS}

    def _notes(self) -> list[str]:
        kind = "simultaneous " if self.correction == "max-t" else ""
        interval = f"{kind}{_percent(self.confidence_level)} intervals"
        counts = dict.fromkeys(zip(self.n_queries.tolist(), self.n_dropped.tolist(), strict=True))
        fewest, most = min(counts), max(counts)
        count = _count(*most) if len(counts) == 1 else f"{fewest[0]} to {_count(most[0], 0)}"
        return [count, _describe_test(self, interval)]


_SHOWN_OF_COMPARISONS = (
    "difference",
    "low",
    "high",
    "pvalue",
    "effect_size",
    "wins",
    "draws",
    "losses",
)


def _describe_test(result: Comparison | Comparisons, interval: str) -> str:
    """Return in words how p-values and intervals came about."""
    if result.correction is None:
        how = _NAMES_OF_TESTS[result.test]
    elif result.correction == "max-t":
        how = "p-values corrected by max-T"
    else:
        correction = _NAMES_OF_CORRECTIONS[result.correction]
        how = f"{_NAMES_OF_TESTS[result.test]}, p-values corrected by {correction}"
    side = "" if result.alternative == "two-sided" else f", alternative {result.alternative!r}"
    return f"{how}{side}; {interval}"


def _percent(level: float) -> str:
    """Return a confidence level in words."""
    return f"{100 * level:.10g} %"


def _count(n_queries: int, n_dropped: int) -> str:
    """Return how many queries there are, in words."""
    dropped = f", {n_dropped} left out" if n_dropped else ""
    return f"{n_queries} quer{'y' if n_queries == 1 else 'ies'}{dropped}"


def _cells(
    columns: Mapping[str, Sequence[Any]], labels: Sequence[str], metrics: Sequence[str] | None
) -> tuple[list[list[str]], list[str]]:
    """Return the rows of a table as text, the head first, and what there is to say below it."""
    names = [labels] if metrics is None else [labels, metrics]
    titles = [_TITLES.get(key, as_title(key)) for key in columns]
    body = [
        [*(name[row] for name in names), *(as_cell(column[row]) for column in columns.values())]
        for row in range(min(len(labels), _SHOWN))
    ]
    more = [f"... and {len(labels) - _SHOWN} more rows"] if len(labels) > _SHOWN else []
    return [[*([""], ["", "metric"])[len(names) - 1], *titles], *body], more


def _as_text(
    columns: Mapping[str, Sequence[Any]],
    notes: Sequence[str],
    labels: Sequence[str],
    metrics: Sequence[str] | None = None,
) -> str:
    (head, *body), more = _cells(columns, labels, metrics)
    table = "\n".join([as_text(head, body, 1 if metrics is None else 2), *more])
    return "\n".join([table, "", *notes])


def _as_html(
    columns: Mapping[str, Sequence[Any]],
    notes: Sequence[str],
    labels: Sequence[str],
    metrics: Sequence[str] | None = None,
) -> str:
    (head, *body), more = _cells(columns, labels, metrics)
    return "\n".join([as_html(head, body), *(f"<p>{line}</p>" for line in [*more, *notes])])


class _Scores(NamedTuple):
    """The scores of each query, of one system."""

    values: Floats
    """Of shape (n_queries, n_columns)."""
    names: tuple[str, ...] | None
    """The names of the columns; None: there is one column, and it has none."""
    ids: NDArray[Any] | None
    """The ids of the queries."""
    is_single: bool
    """Whether the caller passed one column, rather than an array of columns or a report."""


class _Rows(NamedTuple):
    """The pairs that are compared: of which systems, and in which column."""

    systems: list[Floats]
    """The values of each system, (n_queries, n_columns)."""
    a: Ints
    b: Ints
    column: Ints

    def differences(self, rows: slice) -> Floats:
        """Return the differences of some of the rows, (n_queries, n_rows)."""
        places = zip(self.a[rows], self.b[rows], self.column[rows], strict=True)
        columns = [self.systems[b][:, k] - self.systems[a][:, k] for a, b, k in places]
        return np.column_stack(columns)

    def chunks(self, n_resamples: int) -> Iterator[slice]:
        """Yield some rows at a time, of which there is room for all that is done with them."""
        longest = max(n_resamples, 2**FEW, len(self.systems[0]))
        n_rows = max(1, _CELLS // longest)
        for first in range(0, len(self.a), n_rows):
            yield slice(first, min(first + n_rows, len(self.a)))


def confidence_interval(
    scores: ArrayLike | RankingReport,
    *,
    confidence_level: float = 0.95,
    method: str = "bca",
    n_resamples: int = 9999,
    random_state: Any = None,
) -> ConfidenceInterval:
    """DOC."""
    function = "confidence_interval"
    level = _check_level(confidence_level, function)
    method = check_option(method, "method", function, _METHODS)
    n_resamples = _check_resamples(n_resamples, function)
    given = _read(scores, "scores", function)
    resamples = draws(n_resamples, _seed(random_state, function, is_used=method != "t"))
    result = np.full((4, given.values.shape[1]), np.nan)
    for columns, values in by_missing(given.values):
        if len(values):
            result[:, columns] = _interval(values, resamples, method, level)
    n_undefined = np.isnan(given.values).sum(axis=0)
    _warn(result[1], given.names or [""], function)
    mean, low, high, error = map(_single, result) if given.is_single else map(locked, result)
    n_queries = len(given.values) - n_undefined
    counts = [int(n[0]) if given.is_single else locked(n) for n in (n_queries, n_undefined)]
    return ConfidenceInterval(
        mean=mean,
        low=low,
        high=high,
        standard_error=error,
        n_queries=counts[0],
        n_undefined=counts[1],
        names=given.names,
        method=method,
        confidence_level=level,
    )


def compare(
    scores_a: ArrayLike | RankingReport,
    scores_b: ArrayLike | RankingReport,
    *,
    test: str = "t",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
) -> Comparison:
    """DOC."""
    function = "compare"
    settings = _check_settings(test, alternative, confidence_level, n_resamples, function)
    is_random = test in RANDOM
    settings = settings._replace(seed=_seed(random_state, function, is_used=is_random))
    given = _read_all({"scores_a": scores_a, "scores_b": scores_b}, function)
    _check_single(given, function)
    comparisons = _compare({"a": given[0], "b": given[1]}, None, settings, None, "metric")
    _warn(comparisons.pvalues, ["b - a"], function)
    return comparisons[0]


def compare_all(
    scores: Mapping[str, ArrayLike | RankingReport],
    *,
    baseline: str | None = None,
    correction: str | None = "max-t",
    family: str = "metric",
    test: str = "t",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
) -> Comparisons:
    """DOC."""
    function = "compare_all"
    settings = _check_settings(test, alternative, confidence_level, n_resamples, function)
    if correction is not None:
        correction = check_option(correction, "correction", function, _CORRECTIONS)
    is_random = test in RANDOM or correction == "max-t"
    settings = settings._replace(seed=_seed(random_state, function, is_used=is_random))
    if correction == "max-t" and test not in ("t", "permutation"):
        expected = "'t' or 'permutation' where correction='max-t', which flips signs of t"
        raise invalid("test", function, expected, repr(test), "Or use correction='holm'.")
    family = check_option(family, "family", function, ("metric", "all"))
    systems = _read_systems(scores, function)
    if baseline is not None and baseline not in systems:
        expected = "None or one of the keys of `scores`"
        raise invalid("baseline", function, expected, describe(baseline))
    comparisons = _compare(systems, baseline, settings, correction, family)
    metrics = comparisons.metric or [""] * len(comparisons)
    labels = zip(comparisons._labels(), metrics, strict=True)
    names = [f"{label}, {metric}" if metric else label for label, metric in labels]
    _warn(comparisons.pvalues, names, function)
    return comparisons


def queries_needed(
    scores_a: ArrayLike | RankingReport | None = None,
    scores_b: ArrayLike | RankingReport | None = None,
    *,
    difference: float | None = None,
    standard_deviation: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> int | float:
    """DOC."""
    function = "queries_needed"
    level = _check_level(confidence_level, function)
    power = _check_between("power", power, function)
    given = {"scores_a": scores_a, "scores_b": scores_b}
    numbers = {"difference": difference, "standard_deviation": standard_deviation}
    _check_one_form(given, numbers, function)
    if scores_a is not None:
        systems = _read_all(given, function)
        _check_single(systems, function)
        summary = summarize(systems[1].values - systems[0].values)
        _warn(summary.deviation, ["b - a"], function)
        mean, deviation = float(summary.mean[0]), float(summary.deviation[0])
    else:
        finite = "a finite number"
        mean = check_real(difference, "difference", function, finite)
        positive = "a finite number of at least 0"
        deviation = check_real(standard_deviation, "standard_deviation", function, positive)
        if not math.isfinite(mean):
            raise invalid("difference", function, finite, describe(difference))
        if not 0 <= deviation < math.inf:
            raise invalid("standard_deviation", function, positive, describe(standard_deviation))
    return _count_needed(abs(mean), deviation, power, level)


def _count_needed(mean: float, deviation: float, power: float, level: float) -> int | float:
    """Return a number of queries: infinity if there is no difference, NaN if nothing is known."""
    if math.isnan(mean) or math.isnan(deviation):
        return math.nan
    if mean == 0 or math.isinf(effect := deviation and mean / deviation) or not effect:
        return math.inf if mean == 0 else 2
    return int(count_needed(effect, power, level))


# The checks.


def _check_between(parameter: str, value: Any, function: str) -> float:
    """Return a number between 0 and 1."""
    expected = "a number between 0 and 1, neither of them included"
    number = check_real(value, parameter, function, expected)
    if not 0 < number < 1:
        raise invalid(parameter, function, expected, describe(value))
    return number


def _check_level(level: Any, function: str) -> float:
    """Return a confidence level."""
    if type(level) is int and 1 < level < 100:
        expected = "a number between 0 and 1, neither of them included"
        advice = f"{level} % is {level / 100}."
        raise invalid("confidence_level", function, expected, describe(level), advice)
    return _check_between("confidence_level", level, function)


def _check_resamples(n_resamples: Any, function: str) -> int:
    """Return how many resamples there are."""
    is_int = isinstance(n_resamples, Integral) and not isinstance(n_resamples, bool)
    if not is_int or n_resamples < 1:
        raise invalid("n_resamples", function, "an int of at least 1", describe(n_resamples))
    return int(n_resamples)


def _seed(random_state: Any, function: str, *, is_used: bool) -> int:
    """Return the seed that all resamples of a call begin with.

    Nothing is drawn for a seed that is not used.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32)) if is_used else 0
    try:
        state = check_random_state(random_state)
    except ValueError as error:
        expected = "None, an int from 0 to 2**32 - 1, a RandomState or a Generator"
        raise invalid("random_state", function, expected, describe(random_state)) from error
    return int(state.randint(2**32, dtype=np.uint64)) if is_used else 0


def _check_settings(
    test: Any, alternative: Any, level: Any, n_resamples: Any, function: str
) -> Settings:
    """Return how differences are tested."""
    return Settings(
        check_option(test, "test", function, TESTS),
        check_option(alternative, "alternative", function, _ALTERNATIVES),
        _check_level(level, function),
        _check_resamples(n_resamples, function),
        seed=0,
    )


def _check_one_form(given: dict[str, Any], numbers: dict[str, Any], function: str) -> None:
    """Raise unless there are both of two parameters, and none of two others."""
    both = "Pass `scores_a` and `scores_b`, or `difference` and `standard_deviation`."
    is_of_scores = any(value is not None for value in given.values())
    for name, value in numbers.items():
        if is_of_scores and value is not None:
            raise invalid(name, function, "None beside scores", describe(value), both)
    for name, value in (given if is_of_scores else numbers).items():
        if value is None:
            raise invalid(name, function, "given", "None", both)


def _read(scores: Any, parameter: str, function: str) -> _Scores:
    """Return the scores of each query."""
    if isinstance(scores, RankingReport):
        return _read_report(scores, parameter, function)
    each = "one score per query"
    if isinstance(scores, StreamingScore):
        got, advice = "a StreamingScore", "It keeps sums. `ranking_report` keeps each score."
        raise invalid(parameter, function, each, got, advice)
    array = check_real_array(scores, parameter, function).astype(np.float64)
    if array.ndim not in (1, 2):
        advice = "With `average=None` a score has one value per query." * (array.ndim == 0)
        got = f"shape {array.shape}" if array.ndim else describe(scores)
        raise invalid(parameter, function, f"{each}, 1-D or 2-D", got, advice)
    if not array.size:
        raise invalid(parameter, function, "the scores of one query or more", "none")
    if np.isinf(array).any():
        first = ", ".join(map(str, np.argwhere(np.isinf(array))[0]))
        raise invalid(parameter, function, "finite or NaN", f"infinity at position {first}")
    if array.ndim == 1:
        return _Scores(array[:, np.newaxis], None, None, is_single=True)
    columns = getattr(scores, "columns", range(array.shape[1]))
    names = [name if isinstance(name, str) else f"column {name}" for name in columns]
    return _Scores(array, tuple(names), None, is_single=False)


def _read_report(report: RankingReport, parameter: str, function: str) -> _Scores:
    """Return the scores that a report has of each query."""
    expected = "a report in which all queries weigh the same"
    advice = "No test here knows weights. Scores of `per_query` weigh the same."
    if report.sample_weight is not None:
        raise invalid(parameter, function, expected, "one with `sample_weight`", advice)
    if any(each.weight_by_items is not None for each in report._evaluations):
        raise invalid(parameter, function, expected, "one with `item_weight`", advice)
    values = np.column_stack(list(report.per_query.values()))
    return _Scores(values, tuple(report), report.query_ids, is_single=False)


def _read_all(scores: Mapping[str, Any], function: str) -> list[_Scores]:
    """Return the scores of several systems, by the parameters that they are in."""
    indexes = Indexes(function, has_columns=True)
    given: list[_Scores] = []
    first = next(iter(scores))
    for parameter, values in scores.items():
        own = _read(values, parameter, function)
        if given:
            _check_alike(given[0], own, first, parameter, function)
        indexes.check(parameter, values)
        given.append(own)
    return given


def _check_alike(first: _Scores, other: _Scores, name: str, parameter: str, function: str) -> None:
    """Raise unless two systems have scores of the same queries, and the same scores."""
    n_queries = len(first.values)
    if len(other.values) != n_queries:
        expected = f"of the same {n_queries} queries as {name}"
        raise invalid(parameter, function, expected, f"{len(other.values)} queries")
    if first.ids is not None and other.ids is not None:
        is_other = np.array([a != b for a, b in zip(first.ids, other.ids, strict=True)])
        if is_other.any():
            place = int(np.argmax(is_other))
            own, theirs = (name_at(ids, place) for ids in (other.ids, first.ids))
            got = f"query {own} at position {place}, where {name} has {theirs},"
            raise invalid(parameter, function, f"of the same queries as {name}", got)
    if first.values.shape[1] != other.values.shape[1]:
        expected = f"of as many columns as {name}, which has {first.values.shape[1]}"
        raise invalid(parameter, function, expected, str(other.values.shape[1]))
    if first.names != other.names and None not in (first.names, other.names):
        pairs = zip(first.names or (), other.names or (), strict=True)
        expected, got = next(pair for pair in pairs if pair[0] != pair[1])
        expected = f"of the same scores as {name}, which has {expected!r}"
        raise invalid(parameter, function, expected, repr(got))


def _check_single(given: Sequence[_Scores], function: str) -> None:
    """Raise if systems have several scores."""
    names = given[0].names
    if names is not None and len(names) > 1:
        shown = ", ".join(names[:5]) + ", ..." * (len(names) > 5)
        expected = "of one score: 1-D, or a report with one result"
        advice = "`compare_all` takes several, and corrects for their number."
        raise invalid("scores_a", function, expected, f"{len(names)} ({shown})", advice)


def _read_systems(scores: Any, function: str) -> dict[str, _Scores]:
    """Return the scores of several systems by their names."""
    expected = "a dict from the names of two systems or more to their scores"
    if not isinstance(scores, Mapping):
        raise invalid("scores", function, expected, describe(scores))
    for name in scores:
        if not isinstance(name, str) or not name:
            got = f"the key {describe(name)}"
            raise invalid("scores", function, "a dict whose keys are names", got)
    if len(scores) < 2:
        names = ", ".join(map(repr, scores)) or "none"
        raise invalid("scores", function, expected, names)
    given = _read_all({f"scores[{name!r}]": each for name, each in scores.items()}, function)
    return dict(zip(scores, given, strict=True))


# The numbers.


def _single(values: Floats) -> float:
    return float(values[0])


def _interval(
    values: Floats, resamples: Resamples, method: str, level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean, limits and standard error of columns in which no value is NaN."""
    sums = [Sums(weighted_sum(column, None)) for column in values.T]
    mean = np.array([each.mean() for each in sums])
    moments = moments_of(values, None)
    error = np.array(
        [exact_standard_error(*each, Moments()) for each in zip(sums, moments, strict=True)]
    )
    if len(values) < 2:
        return mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan), error
    if method == "t":
        low, high = t_interval(mean, error, len(values), level)
    else:
        drawn = means_of_draws(values, resamples)
        low, high = bca(values, drawn, level) if method == "bca" else percentiles(drawn, level)
    has_spread = error > 0
    return mean, np.where(has_spread, low, mean), np.where(has_spread, high, mean), error


def _compare(
    systems: dict[str, _Scores],
    baseline: str | None,
    settings: Settings,
    correction: str | None,
    family: str,
) -> Comparisons:
    """Return the comparisons of all pairs, or of all systems with a baseline."""
    names = list(systems)
    pairs = list(combinations(range(len(names)), 2))
    if baseline is not None:
        pairs = [(names.index(baseline), b) for b, name in enumerate(names) if name != baseline]
    given = list(systems.values())
    n_columns = given[0].values.shape[1]
    a, b = np.tile(np.array(pairs).T, n_columns)
    column = np.repeat(np.arange(n_columns), len(pairs))
    rows = _Rows([each.values for each in given], a, b, column)
    summary, tested = _test(rows, settings)
    of_family = column if family == "metric" else np.zeros_like(column)
    corrected = _correct(rows, of_family, tested, settings, correction)
    titles = next((each.names for each in given if each.names is not None), None)
    ids = next((each.ids for each in given if each.ids is not None), None)
    result = Comparisons(
        name_a=tuple(names[each] for each in a),
        name_b=tuple(names[each] for each in b),
        metric=None if titles is None else tuple(titles[each] for each in column),
        difference=summary.mean,
        low=corrected.low,
        high=corrected.high,
        pvalues=corrected.pvalue,
        pvalues_uncorrected=tested.pvalue,
        effect_size=summary.effect_size,
        detectable_difference=detectable(summary, settings),
        wins=summary.wins,
        draws=summary.draws,
        losses=summary.losses,
        n_queries=summary.n_queries,
        n_dropped=len(given[0].values) - summary.n_queries,
        baseline=baseline,
        correction=correction,
        family=family,
        test=settings.test,
        alternative=settings.alternative,
        confidence_level=settings.level,
        query_ids=ids,
    )
    vars(result)["_rows"] = rows
    return result


def _test(rows: _Rows, settings: Settings) -> tuple[Summary, Tested]:
    """Return what is known of the differences of each row, and what the test says of it alone."""
    parts = []
    for chunk in rows.chunks(settings.n_resamples):
        differences = rows.differences(chunk)
        summary = summarize(differences)
        parts.append((summary, run_test(differences, summary, settings)))
    summaries, tests = zip(*parts, strict=True)
    return (
        Summary(*map(np.concatenate, zip(*summaries, strict=True))),
        Tested(*map(np.concatenate, zip(*tests, strict=True))),
    )


def _correct(
    rows: _Rows, family: Ints, tested: Tested, settings: Settings, correction: str | None
) -> Tested:
    """Return p-values corrected in each family, and intervals that go with them."""
    if correction == "max-t":
        return _by_max_t(rows, family, settings)
    pvalue = tested.pvalue.copy()
    if correction is not None:
        correct = {"holm": holm, "bh": benjamini_hochberg}[correction]
        for number in np.unique(family):
            own = (family == number) & ~np.isnan(pvalue)
            pvalue[own] = correct(pvalue[own])
    return tested._replace(pvalue=pvalue)


def _by_max_t(rows: _Rows, family: Ints, settings: Settings) -> Tested:
    """Return p-values and intervals from the largest t statistic of each family.

    That of the others is asked for with the sign changed for the alternative "less".
    """
    side = -1 if settings.alternative == "less" else 1
    is_two_sided = settings.alternative == "two-sided"
    resamples = flips(settings.n_resamples, settings.seed)
    largest: dict[int, Floats] = {}
    summaries = []
    for chunk in rows.chunks(settings.n_resamples):
        differences = side * rows.differences(chunk)
        summaries.append(summarize(differences))
        numbers, starts = np.unique(family[chunk], return_index=True)
        found = largest_t(differences, starts, resamples, is_absolute=is_two_sided)
        for number, t in zip(numbers.tolist(), found.T, strict=True):
            largest[number] = np.maximum(largest.get(number, t), t)
    summary = Summary(*map(np.concatenate, zip(*summaries, strict=True)))
    observed = np.abs(summary.t) if is_two_sided else summary.t
    alpha = alpha_of(settings.level)
    pvalue, critical = np.empty_like(observed), np.empty_like(observed)
    for number, t in largest.items():
        own, in_order = family == number, np.sort(t)
        least = observed[own] - slack_of(observed[own])
        n_above = in_order.size - np.searchsorted(in_order, least)
        pvalue[own] = (1 + n_above) / (1 + in_order.size)
        critical[own] = at_share(-in_order[:, np.newaxis], alpha)
    pvalue[np.isnan(observed)] = np.nan
    low, high = limits(summary, critical, critical if is_two_sided else -np.inf)
    return Tested(pvalue, low, high) if side > 0 else Tested(pvalue, -high, -low)


def _warn(values: Floats, names: Sequence[str], function: str) -> None:
    """Warn once of all numbers that are NaN, since there are too few queries."""
    is_nan = np.isnan(values).tolist()
    if any(is_nan):
        undefined = [name for name in compress(names, is_nan) if name]
        more = f" and {len(undefined) - 5} more" if len(undefined) > 5 else ""
        of_names = f" ({', '.join(undefined[:5])}{more})" if undefined else ""
        what = f"{function}{of_names} {'are' if len(undefined) > 1 else 'is'}"
        warnings.warn(
            f"{what} undefined: less than two queries have a score.",
            UndefinedMetricWarning,
            stacklevel=frames_to_caller(),
        )


hide_types(globals())
