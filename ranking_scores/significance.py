"""Confidence intervals of means, and tests of whether one system is better than another.

All functions take the scores of each query, as ``average=None`` or `ranking_report` returns them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, compress
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ranking_scores._base import (
    Moments,
    Sums,
    as_cell,
    as_html,
    as_percent,
    as_text,
    as_title,
    check_option,
    check_real,
    count_queries,
    describe,
    invalid,
    locked,
    moments_of,
    pandas_for,
    weighted_sum,
)
from ranking_scores._base import standard_error as exact_standard_error
from ranking_scores._metrics import list_some, warn_caller, warn_of_undefined
from ranking_scores._statistics import (
    RANDOM,
    TESTS,
    Resamples,
    Rows,
    Scores,
    Settings,
    Summary,
    Verdict,
    alpha_of,
    at_share,
    bca,
    benjamini_hochberg,
    by_missing,
    check_single,
    count_needed,
    detectable,
    draws,
    flips,
    has_ids,
    holm,
    largest_t,
    limits,
    means_of_draws,
    percentiles,
    read_all,
    read_scores,
    read_systems,
    run_test,
    scale,
    slack_of,
    summarize,
    t_interval,
)
from ranking_scores.report import RankingReport

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
_TOO_FEW = "fewer than two queries have a score"
_SHOWN = 40
"""The greatest number of rows that the text of a result shows."""
_NAMES_OF_TESTS = {
    "t": "paired t test",
    "permutation": "permutation test",
    "wilcoxon": "Wilcoxon's test",
    "bootstrap": "bootstrap test",
}
_NAMES_OF_CORRECTIONS = {"max-t": "max-T", "holm": "Holm", "bh": "Benjamini and Hochberg"}


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceInterval:
    """The result of `confidence_interval`: numbers, or arrays for several columns or a report.

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

    names : tuple of str, or None
        The names of the columns. None for one column without a name.

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
        return [f"{as_percent(self.confidence_level)} intervals: {method[self.method]}"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The comparison of two systems on the same queries.

    `compare` returns it, and each row of `Comparisons` is one.

    Attributes
    ----------
    name_a : str
        The name of the first system, with which the other one is compared. "a" in `compare`.

    name_b : str
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

    per_query : ndarray of float64 of shape (n_queries + n_dropped,)
        The difference of each query, b minus a. NaN for queries that were left out.

    query_ids : ndarray of shape (n_queries + n_dropped,) or None
        The ids of the queries, from a report or from the index of pandas objects. None if there
        are none, or if the index only numbers the rows.
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
        is_plain = self.test == "t" and self.correction is None
        power = "80 % power" if is_plain else f"80 % power of {_POWER_OF[self.correction is None]}"
        detectable = f"{power} for a difference of {as_cell(self.detectable_difference)}"
        lines = describe_test(self, "interval")
        return [_count(self.n_queries, self.n_dropped), *lines, detectable]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """The result of `compare_all`: one row per pair of systems and metric.

    ``comparisons[0]`` is the `Comparison` of the first row, and a loop over the object yields the
    `Comparison` of each row. Rows are sorted by metric first.

    Attributes
    ----------
    name_a : tuple of str
        The name of the first system of each row, with which the other one is compared. If there
        is a baseline, it is always the baseline.

    name_b : tuple of str
        The name of the other system of each row.

    metric : tuple of str or None
        The name of the score of each row. None if there is a single score without a name.

    difference : ndarray of float64 of shape (n_rows,)
        The mean of b minus the mean of a.

    low : ndarray of float64 of shape (n_rows,)
        The lower limits of the intervals. The intervals are simultaneous for
        ``correction="max-t"``. For other corrections, each is the interval of its row alone.

    high : ndarray of float64 of shape (n_rows,)
        The upper limits of these intervals.

    pvalues : ndarray of float64 of shape (n_rows,)
        The corrected p-values.

    pvalues_uncorrected : ndarray of float64 of shape (n_rows,)
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
    _rows: Rows = field(init=False)

    @cached_property
    def is_significant(self) -> NDArray[np.bool_]:
        """Whether each corrected p-value is at most ``1 - confidence_level``."""
        return self.pvalues <= alpha_of(self.confidence_level)

    def __len__(self) -> int:
        return len(self.name_a)

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
            name_a=self.name_a[place],
            name_b=self.name_b[place],
            metric=None if self.metric is None else self.metric[place],
            test=self.test,
            alternative=self.alternative,
            correction=self.correction,
            confidence_level=self.confidence_level,
            per_query=locked(self._rows.differences(slice(place, place + 1))[:, 0]),
            query_ids=self._rows.ids,
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
        counts = dict.fromkeys(zip(self.n_queries.tolist(), self.n_dropped.tolist(), strict=True))
        fewest, most = min(counts), max(counts)
        count = _count(*most)
        if len(counts) > 1:
            left_out = f"{most[1]} to {fewest[1]} left out"
            count = f"{fewest[0]} to {count_queries(most[0])}, {left_out}"
        return [count, *describe_test(self, "intervals")]


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


_POWER_OF = ("the uncorrected t test", "the t test")


def describe_test(result: Comparison | Comparisons, intervals: str) -> list[str]:
    """Return lines that describe the p-values and the intervals, and any infinite intervals."""
    intervals = f"{as_percent(result.confidence_level)} {intervals}"
    if result.correction is None:
        how = _NAMES_OF_TESTS[result.test]
    elif result.correction == "max-t":
        how, intervals = "p-values corrected by max-T", f"simultaneous {intervals}"
    else:
        correction = _NAMES_OF_CORRECTIONS[result.correction]
        how = f"{_NAMES_OF_TESTS[result.test]}, p-values corrected by {correction}"
        intervals = f"{intervals}, not corrected"
    side = "" if result.alternative == "two-sided" else f", alternative {result.alternative!r}"
    has_no_end = np.isinf(result.low) & np.isinf(result.high)
    few = "an infinite interval means that too few queries were compared to find any difference"
    return [f"{how}{side}; {intervals}", *[few] * bool(np.any(has_no_end))]


def _count(n_queries: int, n_dropped: int) -> str:
    """Return the number of queries, in words."""
    dropped = f", {n_dropped} left out" if n_dropped else ""
    return f"{count_queries(n_queries)}{dropped}"


def _cells(
    columns: Mapping[str, Sequence[Any]], labels: Sequence[str], metrics: Sequence[str] | None
) -> tuple[list[list[str]], list[str]]:
    """Return the rows of a table as text, with the head first, and the lines below the table."""
    names = [[" ".join(name.split()) for name in each] for each in [labels, metrics or []]]
    names = names if metrics is not None else names[:1]
    titles = map(as_title, columns)
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


def confidence_interval(
    scores: ArrayLike | RankingReport,
    *,
    confidence_level: float = 0.95,
    method: str = "bca",
    n_resamples: int = 9999,
    random_state: Any = None,
) -> ConfidenceInterval:
    """Return the mean of the scores per query, with a confidence interval.

    Parameters
    ----------
    scores : array-like of shape (n_queries,) or (n_queries, n_columns), or RankingReport
        The scores of each query, as ``average=None`` returns them, or a report. NaN means that
        the score is undefined. Such queries are left out.

    confidence_level : float, default=0.95
        The confidence level of the interval.

    method : {"bca", "percentile", "t"}, default="bca"
        The method of the interval:

        - "bca": the bias-corrected and accelerated bootstrap [1]_.
        - "percentile": the percentiles of the bootstrap.
        - "t": Student's t distribution.

    n_resamples : int, default=9999
        The number of random resamples, if the method draws any. This number plus 1, for the
        observed sample, must be at least ``2 / (1 - confidence_level)``.

    random_state : int, RandomState instance, Generator or None, default=None
        The source of randomness for the resamples. Pass an int to get the same result in every
        call.

    Returns
    -------
    interval : ConfidenceInterval
        A frozen dataclass with `mean`, `low`, `high`, `standard_error`, `n_queries` and
        `n_undefined`. They are numbers for 1-D scores, and arrays for several columns or a
        report. The object prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if a report has weights. The error is of both
        types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    See Also
    --------
    compare : Tests whether one of two systems is better, which two intervals cannot tell.
    ranking_report : Computes several scores of each query at once.

    Notes
    -----
    The interval assumes that the queries are a random sample of all queries of interest. If a
    score counts an undefined query as 0, the query is not left out, and `n_undefined` does not
    count it.

    Bootstrap intervals from few queries are too short. A 95 % interval contains the true mean in
    about 80 % of the cases for 4 queries, and in about 90 % for 10. Use "t" for fewer than 20
    queries.

    All columns share the same resamples. The interval of a column is, up to rounding, the same as
    if the column is passed alone. Scores are not copied for each resample: 20000 queries, 15
    columns and 2000 resamples take about a second and less than 100 MB. Columns that lack
    different queries are resampled one by one, which takes longer by their number.

    If all scores are equal, both limits are that score.

    References
    ----------
    .. [1] Bradley Efron. Better bootstrap confidence intervals. Journal of the American
           Statistical Association 82 (397), 1987. :doi:`10.1080/01621459.1987.10478410`.

    Examples
    --------
    >>> from ranking_scores import ndcg_score, ranking_report
    >>> from ranking_scores.significance import confidence_interval
    >>> y_true = [[0, 2, 1, 0], [1, 0, 0, 0], [0, 0, 3, 1], [0, 1, 0, 2]]
    >>> y_score = [[0.1, 0.9, 0.4, 0.3], [0.2, 0.2, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1], [1, 2, 3, 4]]
    >>> ndcg = ndcg_score(y_true, y_score, average=None)
    >>> interval = confidence_interval(ndcg, random_state=0)
    >>> interval
        mean     low    high  standard error  queries  undefined
      0.7981  0.5764  0.9751          0.1090        4          0
    <BLANKLINE>
    95 % intervals: BCa bootstrap
    >>> interval.low
    0.576...

    A report has an interval for each of its results:

    >>> report = ranking_report(y_true, y_score, scores=["ndcg", "mrr"], k=[1, 3])
    >>> confidence_interval(report, random_state=0)
    mean     low    high  standard error  queries  undefined
    ndcg@1  0.5833  0.1667  1.0000          0.2500        4          0
    ndcg@3  0.7684  0.4874  0.9627          0.1343        4          0
    mrr@1   0.5833  0.1667  1.0000          0.2500        4          0
    mrr@3   0.7361  0.4028  1.0000          0.1626        4          0
    <BLANKLINE>
    95 % intervals: BCa bootstrap
    """
    function = "confidence_interval"
    level = check_level(confidence_level, function)
    method = check_option(method, "method", function, _METHODS)
    is_random = method != "t"
    n_resamples = _check_resamples(n_resamples, function, level, are_used=is_random)
    given = read_scores(scores, "scores", function)
    resamples = draws(n_resamples, _seed(random_state, function, is_used=is_random))
    scaled, exponent = scale(given.values)
    result = np.full((4, given.values.shape[1]), np.nan)
    for columns, values in by_missing(scaled):
        if len(values):
            result[:, columns] = _interval(values, resamples, method, level)
    result = np.ldexp(result, exponent)
    n_undefined = np.isnan(given.values).sum(axis=0)
    warn_of_undefined(result[1].tolist(), function, given.names, _TOO_FEW)
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
    """Test whether one of two systems is better than the other, on the same queries.

    The test is about the differences d of the two scores of each query::

        d = scores_b - scores_a,    difference = mean(d),    effect size = mean(d) / std(d)

    Parameters
    ----------
    scores_a : array-like of shape (n_queries,) or RankingReport
        The scores of system A on each query, as ``average=None`` returns them, or a report with
        one result. NaN means that the score is undefined.

    scores_b : array-like of shape (n_queries,) or RankingReport
        The scores of system B on the same queries, in the same order.

    test : {"t", "permutation", "wilcoxon", "bootstrap"}, default="t"
        The paired test. All tests except Wilcoxon's test the mean of the differences:

        - "t": Student's t test.
        - "permutation": flips the signs of the differences. It tries all combinations of signs if
          at most 16 queries have both scores, and `n_resamples` random ones otherwise.
        - "wilcoxon": Wilcoxon's signed-rank test, which does **not** test the mean. It tests
          whether the differences are symmetric about 0. On thousands of queries, as in
          recommendation, it far too often finds differences that are not differences of the mean
          (Ihemelandu and Ekstrand, 2023). It discards draws. Its interval is that of the t test.
        - "bootstrap": draws queries with replacement and compares t statistics.

    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The difference to test for: any difference, B greater than A, or B less than A. The
        interval of a one-sided test has one limit, and the other limit is infinite.

    confidence_level : float, default=0.95
        The confidence level of the interval. The level of the test is 1 minus this number.

    n_resamples : int, default=9999
        The number of random resamples, if the method draws any. This number plus 1, for the
        observed sample, must be at least ``2 / (1 - confidence_level)``.

    random_state : int, RandomState instance, Generator or None, default=None
        The source of randomness for the resamples. Pass an int to get the same result in every
        call.

    Returns
    -------
    comparison : Comparison
        A frozen dataclass with `difference`, `low`, `high`, `pvalue`, `effect_size`,
        `detectable_difference`, `wins`, `draws`, `losses`, `n_queries`, `n_dropped` and the
        difference of each query. The object prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if the systems were scored on different queries,
        or if a report has weights. Queries differ if their numbers differ, or their ids in
        reports or pandas indexes. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    UserWarning
        If the test is "t" and all differences are equal, but not 0.

    See Also
    --------
    compare_all : Compares several systems or scores, with a correction for their number.
    queries_needed : Computes the number of queries that a test needs to find a difference.
    confidence_interval : Computes a confidence interval of the mean of one system.

    Notes
    -----
    A query is left out if one of its two scores is NaN. `wins` counts the queries on which the
    score of B is higher. If lower is better, these are the queries on which B is worse. Scores
    that differ by a few roundings count as a draw, and a difference of means that is as small is
    0. Weights of queries are refused, since none of the tests supports them.

    The t test, the permutation test and the bootstrap usually agree [1]_. Studies that simulate
    systems disagree about Wilcoxon's test on fifty queries [2]_. On thousands of queries it
    should not be used [3]_.

    The p-value and the interval agree: the p-value is at most ``1 - confidence_level`` if and only
    if 0 is outside the interval. For the permutation test the limits are means of subsets of the
    differences [4]_, and for the bootstrap they come from the t statistics of the samples [5]_.
    With few queries they may be infinite. For instance, five queries are too few for a two-sided
    permutation test to reject anything at the level of 5 %. Wilcoxon's test is the exception. Its
    interval is that of the t test, which is about the mean, so its p-value and its interval may
    contradict each other.

    If c of n resamples are at least as extreme on one side as the observed scores, the p-value is
    (c + 1) / (n + 1). A two-sided p-value is twice that.

    Wilcoxon's test discards draws, and differences of equal size share their mean rank. Its
    p-value is exact for at most 50 queries that are not draws. For more queries, it is a normal
    approximation, without a correction for continuity.

    `detectable_difference` is the difference that the t test, without a correction, would detect
    on the same number of queries with a probability of 80 %. It is the d for which ::

        P[|T| > t_critical] = 0.8,    T noncentral t, n - 1 degrees, with d / (std / sqrt(n))

    where std is the standard deviation of the differences. A smaller difference may be real even
    if the test does not find it.

    If all differences are 0, the p-value is 1. If all differences are equal and not 0, they have
    no spread: the effect size is infinite and the p-value of the t test is 0, with a warning.

    References
    ----------
    .. [1] Mark D. Smucker, James Allan, Ben Carterette. A comparison of statistical significance
           tests for information retrieval evaluation. CIKM 2007. :doi:`10.1145/1321440.1321528`.
    .. [2] Javier Parapar, David E. Losada, Manuel A. Presedo-Quindimil, Alvaro Barreiro. Using
           score distributions to compare statistical significance tests for information retrieval
           evaluation. Journal of the Association for Information Science and Technology 71 (1),
           2020. :doi:`10.1002/asi.24203`.
    .. [3] Ngozi Ihemelandu, Michael D. Ekstrand. Inference at scale: significance testing for
           large search and recommendation experiments. SIGIR 2023.
           :doi:`10.1145/3539618.3592004`.
    .. [4] J. A. Hartigan. Using subsample values as typical values. Journal of the American
           Statistical Association 64, 1969, p. 1303-1317.
    .. [5] Peter Hall. Theoretical comparison of bootstrap confidence intervals. Annals of
           Statistics 16 (3), 1988. :doi:`10.1214/aos/1176350933`.

    Examples
    --------
    >>> import numpy as np
    >>> from ranking_scores.significance import compare
    >>> scores_a = np.array([0.9, 0.2, 0.5, 0.4, 0.7, 0.1, 0.3, 0.8])
    >>> scores_b = np.array([1.0, 0.3, 0.5, 0.6, 0.8, 0.1, 0.4, 0.7])
    >>> comparison = compare(scores_a, scores_b)
    >>> comparison
           difference      low    high  p-value  effect size  wins  draws  losses
    b - a      0.0625  -0.0141  0.1391   0.0950       0.6822     5      2       1
    <BLANKLINE>
    8 queries
    paired t test; 95 % interval
    80 % power for a difference of 0.1059
    >>> comparison.pvalue
    0.0949...
    >>> compare(scores_a, scores_b, test="permutation").pvalue
    0.1875
    """
    function = "compare"
    settings = _check_settings(test, alternative, confidence_level, n_resamples, function, None)
    is_random = test in RANDOM
    settings = settings._replace(seed=_seed(random_state, function, is_used=is_random))
    given = read_all({"scores_a": scores_a, "scores_b": scores_b}, function)
    check_single(given, function)
    comparisons = _compare({"a": given[0], "b": given[1]}, None, settings, None, "metric")
    _warn(comparisons, function, ["b - a"])
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
    """Compare several systems on the same queries, corrected for the number of comparisons.

    Every pair of systems, or every system and a baseline, is compared as in `compare`. The
    p-values are corrected, since one of many comparisons is easily significant by chance.

    Parameters
    ----------
    scores : dict of str to array-like or RankingReport
        The scores of each query, by the names of the systems. All values of the dict have the
        same form:

        - 1-D arrays of shape (n_queries,);
        - 2-D arrays of shape (n_queries, n_columns), for instance one column per cutoff;
        - reports of `ranking_report`.

        Columns and results are called metrics here. Groups in reports, made by `by`, are ignored:
        all queries are compared together.

    baseline : str, default=None
        The name of the system that all others are compared with. None compares all pairs.

    correction : {"max-t", "holm", "bh"} or None, default="max-t"
        The correction of the p-values:

        - "max-t": the largest t statistic of the family, over flips of the signs of whole queries
          [1]_. It controls the family-wise error rate: the probability of one or more false
          findings is at most ``1 - confidence_level``. It accounts for correlations between
          systems and between scores. It is often more powerful than Holm's method for the largest
          difference. Holm's method may find more if many systems differ.
        - "holm": Holm's method, which controls the same rate with any test.
        - "bh": the method of Benjamini and Hochberg [3]_, which controls the expected share of
          false findings among all findings, under independence or positive dependence.
        - None: no correction.

    family : {"metric", "all"}, default="metric"
        The comparisons that are corrected together: those of each metric, or all. Use "all" if a
        finding in any of the metrics counts.

    test : {"t", "permutation", "wilcoxon", "bootstrap"}, default="t"
        The paired test. All tests except Wilcoxon's test the mean of the differences:

        - "t": Student's t test.
        - "permutation": flips the signs of the differences. It tries all combinations of signs if
          at most 16 queries have both scores, and `n_resamples` random ones otherwise.
        - "wilcoxon": Wilcoxon's signed-rank test, which does **not** test the mean. It tests
          whether the differences are symmetric about 0. On thousands of queries, as in
          recommendation, it far too often finds differences that are not differences of the mean
          (Ihemelandu and Ekstrand, 2023). It discards draws. Its interval is that of the t test.
        - "bootstrap": draws queries with replacement and compares t statistics.

    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The difference to test for: any difference, B greater than A, or B less than A. The
        interval of a one-sided test has one limit, and the other limit is infinite.

    confidence_level : float, default=0.95
        The confidence level of the interval. The level of the test is 1 minus this number.

    n_resamples : int, default=9999
        The number of random resamples, if the method draws any. This number plus 1, for the
        observed sample, must be at least ``2 / (1 - confidence_level)``.

    random_state : int, RandomState instance, Generator or None, default=None
        The source of randomness for the resamples. Pass an int to get the same result in every
        call.

    Returns
    -------
    comparisons : Comparisons
        A frozen dataclass with the results of `compare` as arrays, one row per pair and metric,
        and with `pvalues` and `pvalues_uncorrected`. The object prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if the systems were scored on different queries,
        or if a report has weights. Queries differ if their numbers differ, or their ids in
        reports or pandas indexes. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    UserWarning
        If all differences of a row are equal, but not 0. The t test then has a p-value of 0, or
        max-T an interval without width.

    See Also
    --------
    compare : Compares two systems by one score.
    ranking_report : Computes several scores of each query at once.

    Notes
    -----
    The difference of a row is the second system minus the first, or a system minus the baseline.

    With "max-t", `test` must be "t" or "permutation". Let t be the t statistic of a row, and M
    the largest absolute t of its family after the signs of some queries are flipped in all rows
    at once. The corrected p-value is ::

        (1 + the number of resamples with M >= |t|) / (1 + the number of resamples)

    and the interval is the difference, plus and minus its standard error times a quantile of M.
    The quantile is the largest t that is not significant. These intervals are simultaneous:
    unless there are very few queries, the probability that all of them contain the true
    difference is the confidence level. The p-values are single-step, not step-down, so each is at
    most ``1 - confidence_level`` if and only if its interval does not contain 0. One-sided
    alternatives use t instead of its absolute value. All combinations of flips are used if at
    most 16 queries have both scores in some row of the family. The other queries are left out.

    With any other correction, each row has the interval that `compare` returns for it alone. This
    interval is not corrected.

    Flips of signs are exact for two systems that do not differ, since exchanging their scores on
    a query changes the sign of the difference. For more systems, "max-t" also assumes that the
    differences are roughly symmetric. For skewed differences, ``correction="holm"`` and
    ``test="bootstrap"`` come closer to the significance level, but with few queries no test keeps
    it. Max-T has been evaluated on runs of TREC [2]_.

    References
    ----------
    .. [1] Peter H. Westfall, S. Stanley Young. Resampling-based multiple testing: examples and
           methods for p-value adjustment. Wiley, 1993.
    .. [2] Leonid Boytsov, Anna Belova, Peter Westfall. Deciding on an adjustment for multiplicity
           in IR experiments. SIGIR 2013. :doi:`10.1145/2484028.2484034`.
    .. [3] Yoav Benjamini, Yosef Hochberg. Controlling the false discovery rate: a practical and
           powerful approach to multiple testing. Journal of the Royal Statistical Society B
           57 (1), 1995. :doi:`10.1111/j.2517-6161.1995.tb02031.x`.

    Examples
    --------
    >>> import numpy as np
    >>> from ranking_scores.significance import compare_all
    >>> rng = np.random.default_rng(0)
    >>> of_query = rng.random(40)
    >>> scores = {
    ...     name: of_query + gain + rng.normal(scale=0.07, size=40)
    ...     for name, gain in [("bm25", 0), ("dense", 0.06), ("hybrid", 0.08)]
    ... }
    >>> compare_all(scores, random_state=0)
    difference      low    high  p-value  effect size  wins  draws  losses
    dense - bm25        0.0391   0.0012  0.0771   0.0424       0.3962    26      0      14
    hybrid - bm25       0.0471   0.0039  0.0904   0.0296       0.4185    24      0      16
    hybrid - dense      0.0080  -0.0272  0.0431   0.8491       0.0873    20      0      20
    <BLANKLINE>
    40 queries
    p-values corrected by max-T; simultaneous 95 % intervals
    >>> compare_all(scores, baseline="bm25", correction="holm").pvalues
    array([0.02332746, 0.02332746])
    """
    function = "compare_all"
    if not (correction is None or (isinstance(correction, str) and correction in _CORRECTIONS)):
        expected = f"{', '.join(map(repr, _CORRECTIONS))} or None"
        raise invalid("correction", function, expected, describe(correction))
    settings = _check_settings(
        test, alternative, confidence_level, n_resamples, function, correction
    )
    is_random = test in RANDOM or correction == "max-t"
    settings = settings._replace(seed=_seed(random_state, function, is_used=is_random))
    if correction == "max-t" and test not in ("t", "permutation"):
        expected = "'t' or 'permutation' if correction='max-t'"
        advice = "For other tests, use correction='holm'."
        raise invalid("test", function, expected, repr(test), advice)
    family = check_option(family, "family", function, ("metric", "all"))
    systems = read_systems(scores, function)
    if baseline is not None and not (isinstance(baseline, str) and baseline in systems):
        expected = "None or one of the keys of `scores`"
        raise invalid("baseline", function, expected, describe(baseline))
    comparisons = _compare(systems, baseline, settings, correction, family)
    metrics = comparisons.metric or [""] * len(comparisons)
    labels = zip(comparisons._labels(), metrics, strict=True)
    names = [f"{label}, {metric}" if metric else label for label, metric in labels]
    _warn(comparisons, function, names)
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
    """Return the number of queries that a paired t test needs to find a difference.

    Pass either the scores of two systems, from a pilot or an older test set, or the difference
    and the standard deviation of the differences.

    Parameters
    ----------
    scores_a : array-like of shape (n_queries,) or RankingReport, default=None
        The scores of system A on each query, as ``average=None`` returns them, or a report with
        one result. NaN means that the score is undefined.

    scores_b : array-like of shape (n_queries,) or RankingReport, default=None
        The scores of system B on the same queries, in the same order.

    difference : float, default=None
        The difference of the means that the test should find.

    standard_deviation : float, default=None
        The standard deviation of the differences of the queries.

    power : float, default=0.8
        The probability that the test finds the difference.

    confidence_level : float, default=0.95
        The confidence level of the interval. The level of the test is 1 minus this number.

    Returns
    -------
    n_queries : int
        The lowest number of queries with this power. Infinity for a difference of 0, and NaN if
        fewer than two queries have a score.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if the systems were scored on different queries,
        or if a report has weights. Queries differ if their numbers differ, or their ids in
        reports or pandas indexes. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    See Also
    --------
    compare : Returns the `detectable_difference` for the given number of queries.

    Notes
    -----
    The result is the lowest n for which ::

        P[|T| > t_critical] >= power,    T noncentral t, n - 1 degrees, with d sqrt(n) / std

    where d is the difference and std the standard deviation. The normal approximation,
    ((z_alpha + z_power) std / d)^2, is lower by about z_alpha^2 / 2, which is 2 for a confidence
    level of 95 %.

    Differences that a test has found are on average larger than the true ones. So pass the
    smallest difference that matters to you, rather than the observed one.

    References
    ----------
    .. [1] Tetsuya Sakai. Topic set size design. Information Retrieval Journal 19, 2016.
           :doi:`10.1007/s10791-015-9273-z`.

    Examples
    --------
    >>> from ranking_scores.significance import queries_needed
    >>> queries_needed(difference=0.02, standard_deviation=0.15)
    444
    >>> queries_needed(difference=0.01, standard_deviation=0.15)
    1768
    >>> queries_needed([0.9, 0.2, 0.5, 0.4, 0.7], [1.0, 0.4, 0.4, 0.5, 0.9], power=0.9)
    18
    """
    function = "queries_needed"
    level = check_level(confidence_level, function)
    power = _check_between("power", power, function)
    given = {"scores_a": scores_a, "scores_b": scores_b}
    numbers = {"difference": difference, "standard_deviation": standard_deviation}
    _check_one_form(given, numbers, function)
    if scores_a is not None:
        systems = read_all(given, function)
        check_single(systems, function)
        summary = _summary_of_pair(systems)
        warn_of_undefined(summary.deviation.tolist(), function, ["b - a"], _TOO_FEW)
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
    if math.isnan(deviation):
        return math.nan
    return count_needed(abs(mean), deviation, power, level)


# The checks.


def _check_between(parameter: str, value: Any, function: str) -> float:
    """Return a number between 0 and 1, or raise."""
    expected = "a number between 0 and 1, neither of them included"
    if type(value) is int and 1 < value < 100:
        raise invalid(parameter, function, expected, str(value), f"{value} % is {value / 100}.")
    number = check_real(value, parameter, function, expected)
    if not 0 < number < 1:
        raise invalid(parameter, function, expected, describe(value))
    return number


def check_level(level: Any, function: str) -> float:
    """Return a valid confidence level, or raise."""
    return _check_between("confidence_level", level, function)


def _check_resamples(n_resamples: Any, function: str, level: float, *, are_used: bool) -> int:
    """Return the number of resamples. Raise if it is too low for an interval with two limits."""
    is_int = isinstance(n_resamples, Integral) and not isinstance(n_resamples, bool)
    least = math.ceil(2 / alpha_of(level) - 1e-9) - 1 if are_used and is_int else 1
    if not is_int or n_resamples < least:
        of_level = f" if confidence_level={level}" if least > 1 else ""
        expected = f"an int of at least {least}{of_level}"
        raise invalid("n_resamples", function, expected, describe(n_resamples))
    return int(n_resamples)


def _seed(random_state: Any, function: str, *, is_used: bool) -> int:
    """Return the seed of all resamples of a call.

    Nothing is drawn from the generator if the seed is not used.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32)) if is_used else 0
    expected = "None, an int from 0 to 2**32 - 1, a RandomState or a Generator"
    if isinstance(random_state, (bool, np.bool_)):
        raise invalid("random_state", function, expected, describe(random_state))
    try:
        state = check_random_state(random_state)
    except ValueError as error:
        raise invalid("random_state", function, expected, describe(random_state)) from error
    return int(state.randint(2**32, dtype=np.uint64)) if is_used else 0


def _check_settings(
    test: Any, alternative: Any, level: Any, n_resamples: Any, function: str, correction: Any
) -> Settings:
    """Return the settings of a test, without the seed."""
    test = check_option(test, "test", function, TESTS)
    alternative = check_option(alternative, "alternative", function, _ALTERNATIVES)
    level = check_level(level, function)
    are_used = test in RANDOM or correction == "max-t"
    n_resamples = _check_resamples(n_resamples, function, level, are_used=are_used)
    return Settings(test, alternative, level, n_resamples, seed=0)


def _check_one_form(given: dict[str, Any], numbers: dict[str, Any], function: str) -> None:
    """Raise unless both of two parameters are passed, and none of two others."""
    both = "Pass either `scores_a` and `scores_b`, or `difference` and `standard_deviation`."
    is_of_scores = any(value is not None for value in given.values())
    for name, value in numbers.items():
        if is_of_scores and value is not None:
            raise invalid(name, function, "None if scores are passed", describe(value), both)
    for name, value in (given if is_of_scores else numbers).items():
        if value is None:
            raise invalid(name, function, "given", "None", both)


# The numbers.


def _single(values: Floats) -> float:
    return float(values[0])


def _interval(
    values: Floats, resamples: Resamples, method: str, level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean, limits and standard error of columns without NaN."""
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


def _summary_of_pair(systems: Sequence[Scores]) -> Summary:
    """Return the summary of the differences of two systems."""
    first = np.zeros(1, dtype=np.int64)
    rows = Rows([each.values for each in systems], first, first + 1, first, None)
    differences, exponent = scale(rows.differences(slice(1)))
    return summarize(differences, np.ldexp(rows.slack(slice(1)), -exponent)).unscaled(exponent)


def _compare(
    systems: dict[str, Scores],
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
    ids = next((each.ids for each in given if has_ids(each)), None)
    rows = Rows([each.values for each in given], a, b, column, ids)
    summary, verdict = _test(rows, settings)
    of_family = column if family == "metric" else np.zeros_like(column)
    corrected = _correct(rows, of_family, verdict, settings, correction)
    titles = next((each.names for each in given if each.names is not None), None)
    columns: dict[str, Any] = {
        "difference": summary.mean,
        "low": corrected.low,
        "high": corrected.high,
        "pvalues": corrected.pvalue,
        "pvalues_uncorrected": verdict.pvalue,
        "effect_size": summary.effect_size,
        "detectable_difference": detectable(summary, settings),
        "wins": summary.wins,
        "draws": summary.draws,
        "losses": summary.losses,
        "n_queries": summary.n_queries,
        "n_dropped": len(given[0].values) - summary.n_queries,
    }
    result = Comparisons(
        name_a=tuple(names[each] for each in a),
        name_b=tuple(names[each] for each in b),
        metric=None if titles is None else tuple(titles[each] for each in column),
        **{key: locked(values) for key, values in columns.items()},
        baseline=baseline,
        correction=correction,
        family=family,
        test=settings.test,
        alternative=settings.alternative,
        confidence_level=settings.level,
    )
    vars(result)["_rows"] = rows
    return result


def _warn(comparisons: Comparisons, function: str, names: Sequence[str]) -> None:
    """Warn of p-values that are NaN, and of p-values or widths that equal differences make 0."""
    warn_of_undefined(comparisons.pvalues.tolist(), function, names, _TOO_FEW)
    are_equal = np.isinf(comparisons.effect_size)
    lacking = "the t test cannot estimate their spread. The permutation test does not need it"
    if comparisons.correction == "max-t":
        # With few queries, both limits are infinite.
        are_equal &= np.isfinite(comparisons.low) | np.isfinite(comparisons.high)
        lacking = "the interval has no width. The p-value is not affected"
    elif comparisons.test != "t":
        return
    if are_equal.any():
        which = list_some(list(compress(names, are_equal.tolist())))
        warn_caller(f"{function} ({which}): all differences are equal, so {lacking}.", UserWarning)


def _test(rows: Rows, settings: Settings) -> tuple[Summary, Verdict]:
    """Return the summary of the differences of each row, and the test's verdict on it alone."""
    parts = []
    for chunk in rows.chunks(settings.n_resamples):
        differences, exponent = scale(rows.differences(chunk))
        summary = summarize(differences, np.ldexp(rows.slack(chunk), -exponent))
        verdict = run_test(differences, summary, settings)
        parts.append((summary.unscaled(exponent), verdict.unscaled(exponent)))
    summaries, tests = zip(*parts, strict=True)
    return (
        Summary(*map(np.concatenate, zip(*summaries, strict=True))),
        Verdict(*map(np.concatenate, zip(*tests, strict=True))),
    )


def _correct(
    rows: Rows, family: Ints, verdict: Verdict, settings: Settings, correction: str | None
) -> Verdict:
    """Return the p-values, corrected in each family, and the intervals."""
    if correction == "max-t":
        corrected = Verdict(*np.empty((3, len(family))))
        for places, part in rows.on_same_queries(family):
            found = _by_max_t(part, family[places], settings)
            for values, own in zip(corrected, found, strict=True):
                values[places] = own
        return corrected
    pvalue = verdict.pvalue.copy()
    if correction is not None:
        correct = {"holm": holm, "bh": benjamini_hochberg}[correction]
        for number in np.unique(family):
            own = (family == number) & ~np.isnan(pvalue)
            pvalue[own] = correct(pvalue[own])
    return verdict._replace(pvalue=pvalue)


def _by_max_t(rows: Rows, family: Ints, settings: Settings) -> Verdict:
    """Return p-values and intervals from the largest t statistic of each family."""
    # "less" is "greater" for the differences with opposite sign.
    side = -1 if settings.alternative == "less" else 1
    is_two_sided = settings.alternative == "two-sided"
    resamples = flips(settings.n_resamples, settings.seed)
    largest: dict[int, Floats] = {}
    summaries = []
    for chunk in rows.chunks(settings.n_resamples):
        differences, exponent = scale(side * rows.differences(chunk))
        slack = np.ldexp(rows.slack(chunk), -exponent)
        summaries.append(summarize(differences, slack).unscaled(exponent))
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
    return Verdict(pvalue, low, high) if side > 0 else Verdict(pvalue, -high, -low)
