"""Confidence intervals of means, tests of whether one system is better, and what changed.

All functions take the scores of each query, as ``average=None`` or `ranking_report` returns them.
A system can also be what `from_tables` returned, with the name of the score to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from numpy.typing import ArrayLike

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import advises_on_keywords, check_option, describe
from ranking_scores.significance._audit import Audit, Spread, audit
from ranking_scores.significance._changes import changes
from ranking_scores.significance._changes_results import (
    Changes,
    ListChange,
    MovedItem,
    QueryChange,
    ScoreChange,
)
from ranking_scores.significance._comparing import compare_pairs
from ranking_scores.significance._comparisons import Comparison, Comparisons
from ranking_scores.significance._history import History as History, history as history
from ranking_scores.significance._human_labels import (
    add_human,
    check_no_human,
    check_option_with_human,
    compare_with_human,
    interval_with_human,
)
from ranking_scores.significance._intervals import (
    METHODS,
    METHODS_BY_NAME,
    ConfidenceInterval,
    IntervalMethod,
    interval_of,
)
from ranking_scores.significance._planning import power_curve, queries_needed
from ranking_scores.significance._readers import (
    RankingData,
    RankingReport,
    read_one,
    read_pair,
    read_systems,
)
from ranking_scores.significance._results import HumanLabels, Ranks
from ranking_scores.significance._systems import QueryParameters
from ranking_scores.significance._tests import (
    RANDOM,
    check_level,
    check_margin,
    check_resamples,
    check_settings,
    seed_of,
)

__all__ = [
    "Audit",
    "Changes",
    "Comparison",
    "Comparisons",
    "ConfidenceInterval",
    "History",
    "HumanLabels",
    "ListChange",
    "MovedItem",
    "QueryChange",
    "Ranks",
    "ScoreChange",
    "Spread",
    "audit",
    "changes",
    "compare",
    "compare_all",
    "confidence_interval",
    "history",
    "power_curve",
    "queries_needed",
]


def __dir__() -> list[str]:
    return __all__


@advises_on_keywords
def confidence_interval(
    values: ArrayLike | RankingReport,
    *,
    confidence_level: float = 0.95,
    method: Literal[
        "auto", "t", "bca", "percentile", "studentized", "expansion", "wilson", "exact"
    ] = "auto",
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    human: Any = None,
    n_resamples: int = 9999,
    random_state: Any = None,
) -> ConfidenceInterval:
    """Return the mean of the scores per query, with a confidence interval.

    Parameters
    ----------
    values : array-like of shape (n_queries,) or (n_queries, n_columns), or RankingReport
        The scores of each query, as ``average=None`` returns them, a report, or the path of a
        file that holds them, as in `compare`. NaN means that the score is undefined. Such queries
        are left out.

    confidence_level : float, default=0.95
        The confidence level of the interval.

    method : str, default="auto"
        The method of the interval, which is one of these:

        - "auto": "t". If all scores are 0 or 1, it is "exact" for fewer than 40 queries, of
          which clusters and weights leave fewer, and otherwise "wilson", unless a report tells
          that the score can be something else, such as DCG. The result says which one was taken.
        - "t": Student's t distribution.
        - "bca": the bias-corrected and accelerated bootstrap [1]_.
        - "percentile": the percentiles of the bootstrap.
        - "studentized": the bootstrap of the t statistic [2]_, for skewed scores.
        - "expansion": what "bca" tends to with many queries and resamples, computed from the
          skewness and the kurtosis.
        - "wilson": Wilson's interval of a share [3]_, for scores of 0 and 1.
        - "exact": the interval of Clopper and Pearson, for scores of 0 and 1.

    sample_weight : array-like of shape (n_queries,), default=None
        The weight of each query in the mean, such as the number of users that it stands for.
        Weights are finite, not negative and not all zero, and a query of weight 0 is left out.
        None takes the `sample_weight` of reports, if they have it.

    clusters : array-like or dict, default=None
        The cluster of each query, such as its user, topic or session. Queries of one cluster may
        depend on each other: they are drawn and flipped together, and the t test is about
        clusters. A Series or a dict of query ids is matched by these ids. None takes the
        `clusters` of reports. Without any, all queries are independent.

    human : array-like, dict, Series or RankingReport, default=None
        The same scores by people's labels, of a random part of the queries, if a model wrote the
        labels of `values`. The interval is then that of prediction-powered inference [4]_, which
        people's labels correct for the errors of the model. A dict, a Series or a report has ids
        of queries, by which it is matched. An array has all queries, with NaN where people did not
        judge. Each cluster is judged by people as a whole or not at all. None takes the `human`
        of a report, if it has it.

    n_resamples : int, default=9999
        The number of random resamples, if the method draws any. This number plus 1, for the
        observed sample, must be at least ``2 / (1 - confidence_level)``.

    random_state : int, RandomState instance, Generator or None, default=None
        The source of randomness for the resamples. Pass an int to get the same result in every
        call.

    Returns
    -------
    interval : ConfidenceInterval
        A frozen dataclass with `mean`, `low`, `high`, `standard_error`, `method`, `n_queries`,
        `n_effective` and `n_undefined`. They are numbers for 1-D values, and arrays for several
        columns or a report. `human` says what people's labels tell about the model's. The object
        prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if a report has item weights, or if a pandas
        index has an id twice and there are no `clusters`. The error is of both types, as in
        scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    UserWarning
        If all scores are equal, and not 0 or 1, so that the interval has no width. Or if there
        are unequal weights or clusters, and fewer than 10 effective queries or clusters, or fewer
        than 10 effective clusters of any sizes for scores of 0 and 1. Or if
        people judged fewer than 20 queries, or queries that differ from the others by the model's
        labels.

    See Also
    --------
    compare : Tests whether one of two systems is better, which two intervals cannot tell.
    ranking_report : Computes several scores of each query at once.

    Notes
    -----
    The interval assumes that the queries are a random sample of all queries of interest. If a
    score counts an undefined query as 0, the query is not left out, and `n_undefined` does not
    count it.

    BCa intervals from few queries are too short. For normal scores, a 95 % interval contains the
    true mean in 84 % of the cases for 5 queries, in 90 % for 10 and in 94 % for 100, and that of
    the t test in 95 %. For skewed scores, all intervals are too short, and that of the
    studentized bootstrap is the best, and the longest. The guide has a table of simulations.

    With weights w, the mean is the ratio sum(w x) / sum(w), as in a survey. Its standard error
    counts the weights as drawn together with the queries. It is not that of repeated rows::

        error^2 = n / (n - 1) sum(w^2 (x - mean)^2) / sum(w)^2

    The same formula holds for clusters, with the mean of a cluster as x and the sum of its
    weights as w. The bootstrap draws whole clusters. The result has the effective number of
    queries or clusters, ``sum(w)^2 / sum(w^2)``, and t has one degree of freedom less. If a few
    of them have most of the weight, the error above is too small. So t takes another one, which
    has no bias if all x have the same variance [6]_. It is the same for equal weights. With the
    shares p = w / sum(w)::

        error^2 = sum(p^2 (x - mean)^2 / (1 - 2 p + sum(p^2)))

    If all scores are 0 or 1, the intervals of shares take a number of independent queries that say
    as much: the number of queries, divided by the design effect. That is how many times larger the
    second error, squared, is than that of independent queries, and at least 1. A sample with few
    misses looks less dependent than it is, so the error is that with half a unit more, of the size
    of the unit of an average query, which misses for the lower limit, and hits for the upper one.
    For few units, the number is also multiplied by the square of the ratio of the quantiles of t,
    for the queries and for the units [7]_. If a rare fault hits whole clusters, no formula holds
    for fewer than 10 effective clusters, so there is a warning.

    All columns share the same resamples. The interval of a column is, up to rounding, the same as
    if the column is passed alone. Scores are not copied for each resample: 20000 queries, 15
    columns and 2000 resamples take about a second and less than 100 MB. Columns that lack
    different queries are resampled one by one, which takes longer by their number.

    If all scores are equal, and not 0 or 1, both limits are that score. The limits of the scores
    of a report are cut off at the ends of their range, such as 0 and 1. That of an array is not
    known.

    With `human`, let y be the scores by people's labels and f those by the model's, on the n
    queries that people judged, and f' those by the model's on the N - n others. Then ::

        weight  = cov(y, f) / (var(f) (1 + n / (N - n))), from 0 to 1
        mean    = mean(y - weight f) + weight mean(f')
        error^2 = var(y - weight f) / n + weight^2 var(f') / (N - n)

    and the interval is that of Student's t with n - 2 degrees of freedom. If the weight cannot be
    fitted, since n < 3, N - n < 2 or all f are equal, it is 0, and there are n - 1. The weight is
    fitted, as in PPI++ [5]_, so a bad judge does not make the interval longer than that of the
    people's queries alone. With weights or clusters, n and N - n are effective numbers.

    A judge that is nearly always right may err on none of the n queries. While fewer than 10 of
    the y - f are not 0, their variance is taken to be at least ::

        q mean(e^2) - q^2 mean(e)^2

    where e are those that are not 0, and q is the upper 95 % limit of their share, by Clopper and
    Pearson. If there are none, e is the range of the given scores. The weight follows from this
    variance. Scores of 0 and 1 without weights or clusters have the interval that "auto" takes
    for `worth` queries judged by people alone, with the same mean.

    References
    ----------
    .. [1] Bradley Efron. Better bootstrap confidence intervals. Journal of the American
           Statistical Association 82 (397), 1987. :doi:`10.1080/01621459.1987.10478410`.
    .. [2] Peter Hall. Theoretical comparison of bootstrap confidence intervals. Annals of
           Statistics 16 (3), 1988. :doi:`10.1214/aos/1176350933`.
    .. [3] Edwin B. Wilson. Probable inference, the law of succession, and statistical inference.
           Journal of the American Statistical Association 22 (158), 1927.
           :doi:`10.1080/01621459.1927.10502953`.
    .. [4] Anastasios N. Angelopoulos, Stephen Bates, Clara Fannjiang, Michael I. Jordan, Tijana
           Zrnic. Prediction-powered inference. Science 382 (6671), 2023.
           :doi:`10.1126/science.adi6000`.
    .. [5] Anastasios N. Angelopoulos, John C. Duchi, Tijana Zrnic. PPI++: efficient
           prediction-powered inference. 2023. :doi:`10.48550/arXiv.2311.01453`.
    .. [6] Robert M. Bell, Daniel F. McCaffrey. Bias reduction in standard errors for linear
           regression with multi-stage samples. Survey Methodology 28 (2), 2002.
    .. [7] Edward L. Korn, Barry I. Graubard. Confidence intervals for proportions with small
           expected number of positive counts estimated from survey data. Survey Methodology
           24 (2), 1998.

    Examples
    --------
    >>> from ranking_scores import ndcg_score, ranking_report
    >>> from ranking_scores.significance import confidence_interval
    >>> y_true = [[0, 2, 1, 0], [1, 0, 0, 0], [0, 0, 3, 1], [0, 1, 0, 2]]
    >>> y_score = [[0.1, 0.9, 0.4, 0.3], [0.2, 0.2, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1], [1, 2, 3, 4]]
    >>> ndcg = ndcg_score(y_true, y_score, average=None)
    >>> interval = confidence_interval(ndcg)
    >>> interval
        mean     low    high  standard error  queries  undefined
      0.7981  0.4512  1.1450          0.1090        4          0
    <BLANKLINE>
    95 % intervals: Student's t
    >>> interval.low
    0.451...

    A report has an interval for each of its results:

    >>> report = ranking_report(y_true, y_score, scores=["ndcg", "mrr"], k=[1, 3])
    >>> confidence_interval(report, method="bca", random_state=0)
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
    check_option(method, "method", function, METHODS)
    is_random = METHODS_BY_NAME[method].is_random
    n_resamples = check_resamples(n_resamples, function, level, are_used=is_random)
    given = read_one(values, function, QueryParameters(sample_weight, clusters))
    if human is not None or given.has_human():
        given = add_human(given, human, ["values"], function)
        check_option_with_human(method, "method", function)
        return interval_with_human(given, level, function)
    seed = seed_of(random_state, function, is_used=is_random)
    return interval_of(given, IntervalMethod(method, level, n_resamples, seed), function)


@advises_on_keywords
def compare(
    system_a: ArrayLike | RankingReport | RankingData,
    system_b: ArrayLike | RankingReport | RankingData,
    *,
    score: Callable[..., Any] | str | None = None,
    test: Literal[
        "auto", "t", "permutation", "wilcoxon", "bootstrap", "mcnemar", "sequential", "betting"
    ] = "auto",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    margin: float | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    human: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
) -> Comparison:
    """Test whether one of two systems is better than the other, on the same queries.

    The test is about the differences d of the two scores of each query::

        d = score of b - score of a,    difference = mean(d),    effect size = mean(d) / std(d)

    Parameters
    ----------
    system_a : array-like of shape (n_queries,), RankingReport or RankingData
        The scores of system A on each query, as ``average=None`` returns them, or a report with
        one result. NaN means that the score is undefined. Or what `ranking_scores.from_tables`
        returned, which is scored by `score`. Or the path of a saved report, or of a table or a
        directory of Parquet files with the values that `ranking_scores.scale.per_query` returned,
        of which only the column of `score` is read.

    system_b : array-like of shape (n_queries,), RankingReport or RankingData
        The same of system B, for the same queries. If both have ids of queries, in reports, in a
        dict or in the index of a Series, they are matched by these ids, and otherwise by position.

    score : callable or str, default=None
        The score of systems that are `RankingData`, such as "ndcg@10". The names are listed in
        `ranking_report`. Without a cutoff, it covers the whole list. Or the column to read of
        tables that are files. Other systems come with their scores, so `score` is then left out.

    test : str, default="auto"
        The paired test, which is one of these. All except Wilcoxon's test the mean of the
        differences:

        - "auto": "mcnemar" if all scores are 0 or 1, unless a report tells that the score can be
          something else, such as DCG, and "t" otherwise.
        - "t": Student's t test.
        - "permutation": flips the signs of the differences. It is exact, with all combinations of
          signs, if at most 36 queries (or clusters) have both scores, and takes `n_resamples`
          random ones otherwise.
        - "wilcoxon": Wilcoxon's signed-rank test, which does **not** test the mean. It tests
          whether the differences are symmetric about 0. On thousands of queries, as in
          recommendation, it far too often finds differences that are not differences of the mean
          (Ihemelandu and Ekstrand, 2023). It discards draws. Its interval is that of the t test.
        - "bootstrap": draws queries with replacement and compares t statistics.
        - "mcnemar": McNemar's mid-p test, the sign test of scores of 0 and 1. Its interval is
          Tango's.
        - "sequential": a mixture of t tests, which stays valid if the comparison is looked at
          again and again while queries come in.
        - "betting": bets on each query in turn, which stay valid as well, and however rare large
          differences are. It is for scores that are between 0 and 1 by definition: reports, or
          frames whose columns are named by scores. The order of the queries matters.

    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The difference to test for: any difference, B greater than A, or B less than A. The
        interval of a one-sided test has one limit, and the other limit is infinite.

    margin : float, default=None
        A difference that does not matter. The result then also has the p-values of two claims: B
        is not worse than A by the margin, and B is neither worse nor better by the margin.

    sample_weight : array-like of shape (n_queries,), default=None
        The weight of each query in the mean, such as the number of users that it stands for.
        Weights are finite, not negative and not all zero, and a query of weight 0 is left out.
        None takes the `sample_weight` of reports, if they have it.

    clusters : array-like or dict, default=None
        The cluster of each query, such as its user, topic or session. Queries of one cluster may
        depend on each other: they are drawn and flipped together, and the t test is about
        clusters. A Series or a dict of query ids is matched by these ids. None takes the
        `clusters` of reports. Without any, all queries are independent.

    human : pair of array-like, dict, Series or RankingReport, default=None
        The scores of system A and of system B by people's labels, of a random part of the
        queries, if a model wrote the labels that both were scored by. Each is as in
        `confidence_interval`, and both have the same queries. The test is then the t test of
        prediction-powered inference [8]_, or Tango's score test for scores of 0 and 1. None takes
        the `human` of reports, if they have it.

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
        A frozen dataclass with `difference`, `low`, `high`, `pvalue`, `effect_size`, `direction`,
        `detectable_difference`, `wins`, `draws`, `losses`, `n_queries`, `n_dropped` and
        `difference_per_query`. With a margin, it also has `pvalue_noninferior` and
        `pvalue_equivalent`. The object prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if the systems were scored on different queries
        or with different options, if a report has item weights, or if a pandas index has an id
        twice and there are no `clusters`. Queries differ if their numbers differ, or their ids in
        reports or pandas indexes. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    UserWarning
        If all differences are equal, but not 0, unless the test is "permutation" or "betting". Or
        if there are unequal weights or clusters, and fewer than 10 effective queries or clusters,
        unless the test is "permutation". Or if the mean is not in the interval of "betting". Or if
        people judged fewer than 20 queries, or queries that differ from the others by the model's
        labels.

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
    0.

    The t test, the permutation test and the bootstrap usually agree [1]_. Studies that simulate
    systems disagree about Wilcoxon's test on fifty queries [2]_. On thousands of queries it
    should not be used [3]_. If the differences are skewed or have heavy tails, or if most of them
    are 0, no test keeps its level on few queries. For skewed differences, t and the permutation
    test are too often significant on one side. The permutation test is exact if the systems could
    change places on each query, which makes the differences symmetric. The bootstrap adapts to
    skewed differences, but rejects in 6 to 13 % of the cases on 10 to 50 queries if the
    differences have heavy tails or are mostly 0. Take the permutation test then.

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
    approximation, without a correction for continuity. It is about ranks, so it may find B higher
    while the mean of B is lower. `direction` is that of the test, and the text says so.

    McNemar's test counts the queries on which one of two scores of 0 and 1 is higher. Its p-value
    is the mid-p value: the observed count adds half its probability. The exact p-value, which adds
    all of it, rejects too seldom: in 1 to 3 % of the cases, where the mid-p value does in 3 to 5 %
    [9]_. Tango's interval stays between -1 and 1 [6]_. Since it comes from another test, it may
    contain 0 although the p-value is low, or the other way round, but seldom does.

    A comparison that is repeated every night with more queries is significant on some night too
    often: in 100 looks, the t test finds a difference that is not there in about 37 % of the
    cases. The p-value of "sequential" is 1 divided by the likelihood ratio of a mixture of effect
    sizes, with the standard deviation 0.1, in which the unknown scale is integrated out [7]_. If
    the differences are normal, it is below 0.05 on any of the nights in at most 5 % of the cases.
    So is the p-value of the best night, and the interval is valid on all nights at once. It is
    infinite for the first tens of queries. For skewed differences, look first after 100 queries
    or more.

    If most queries win a little and a few lose nearly everything, "sequential" has too many false
    alarms, since the losses come late. "betting" assumes nothing about the differences d but that
    they are between -1 and 1. For each share s = 0.1, ..., 0.9, it bets a part of a capital of 1
    on a mean above m, and each query multiplies that part by ::

        1 - s + s (1 + d) / (1 + m)

    which is 1 on average if the mean is m. The p-value of m = 0 is 1 divided by the largest
    capital that the parts ever had together, for two sides twice the smaller one of both
    directions, and the interval has all m that are not rejected [10]_. The queries are taken in
    the order of system A, which must be that in which they came, or random. If the differences
    change over time, the mean may be outside of the interval, or the interval may be empty, with
    limits of NaN. A warning says so. No imaginary query enters the p-values of a margin.

    With a margin, both claims are tested at the level of ``1 - confidence_level`` by one-sided
    tests of the same kind, and the second by two of them. For scores of 0 and 1, these are Tango's
    score tests. If lower scores are better, swap the systems, so that B is the old one. Large
    drops that are rare may not be among the queries. If the range of the score is known, since the
    scores come from reports or `score` names them, the p-value is therefore not below that with
    one imaginary query of the mean weight more, which drops by the whole range, or rises for the
    other side. With `human`, it does so by people's labels alone. The range of plain arrays is
    unknown. If fewer than five queries changed, the text says so.

    Weights and clusters enter the mean, its standard error and all resamples, as in
    `confidence_interval`. The queries of a cluster change signs together, and are drawn together.

    `detectable_difference` is the difference that the t test, without a correction, would detect
    on the same number of queries with a probability of 80 %. It is the d for which ::

        P[|T| > t_critical] = 0.8,    T noncentral t, n - 1 degrees, with d / (std / sqrt(n))

    where std is the standard deviation of the differences. With weights or clusters, the degrees
    are the effective number minus 1, and the error of t takes the place of std / sqrt(n). A
    smaller difference may be real even if the test does not find it.

    If all differences are 0, the p-value is 1. If all differences are equal and not 0, they have
    no spread, and the effect size is infinite, with a warning. Then, and if the n queries are so
    few that no flips of signs could be significant, the p-value of t is at least that of all signs
    alike, ``2 / 2**n``, and so in other tests. Intervals stay as they are, and may be too short.

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
    .. [6] Toshiro Tango. Equivalence test and confidence interval for the difference in
           proportions for the paired-sample design. Statistics in Medicine 17 (8), 1998.
           :doi:`10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B`.
    .. [7] Tze Leung Lai. On confidence sequences. Annals of Statistics 4 (2), 1976.
           :doi:`10.1214/aos/1176343406`.
    .. [8] Anastasios N. Angelopoulos, Stephen Bates, Clara Fannjiang, Michael I. Jordan, Tijana
           Zrnic. Prediction-powered inference. Science 382 (6671), 2023.
           :doi:`10.1126/science.adi6000`.
    .. [9] Morten W. Fagerland, Stian Lydersen, Petter Laake. The McNemar test for binary
           matched-pairs data. BMC Medical Research Methodology 13 (91), 2013.
           :doi:`10.1186/1471-2288-13-91`.
    .. [10] Ian Waudby-Smith, Aaditya Ramdas. Estimating means of bounded random variables by
           betting. Journal of the Royal Statistical Society B 86 (1), 2024.
           :doi:`10.1093/jrsssb/qkad009`.

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
    >>> compare(scores_a, scores_b, margin=0.05).pvalue_noninferior
    0.005...
    """
    function = "compare"
    settings = check_settings(test, alternative, confidence_level, n_resamples, function, None)
    if margin is not None:
        margin = check_margin(margin, test, function)
    given = read_pair(
        system_a, system_b, score, function, QueryParameters(sample_weight, clusters)
    )
    if human is not None or given.has_human():
        given = add_human(given, human, ["system_a", "system_b"], function, score)
        check_option_with_human(test, "test", function)
        return compare_with_human(given, settings, margin, function)
    seed = seed_of(random_state, function, is_used=test in RANDOM)
    settings = settings._replace(seed=seed)
    return compare_pairs(given, settings, function, margin=margin, names=["b - a"])[0]


@advises_on_keywords
def compare_all(
    systems: Mapping[str, ArrayLike | RankingReport | RankingData],
    *,
    scores: Any = None,
    baseline: str | None = None,
    correction: Literal["max-t", "holm", "bh"] | None = "max-t",
    family: Literal["metric", "all"] = "metric",
    by: ArrayLike | None = None,
    test: Literal[
        "auto", "t", "permutation", "wilcoxon", "bootstrap", "mcnemar", "sequential", "betting"
    ] = "auto",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    margin: float | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
) -> Comparisons:
    """Compare several systems on the same queries, corrected for the number of comparisons.

    Every pair of systems, or every system and a baseline, is compared as in `compare`. The
    p-values are corrected, since one of many comparisons is easily significant by chance.

    Parameters
    ----------
    systems : dict of str to array-like, RankingReport or RankingData
        The scores of each query, by the names of the systems. All values of the dict have the
        same form:

        - 1-D arrays of shape (n_queries,);
        - 2-D arrays of shape (n_queries, n_columns), for instance one column per cutoff;
        - reports of `ranking_report`, or the paths of saved ones;
        - paths of tables of `ranking_scores.scale.per_query`, whose rows are in any order, and of
          which only the columns of `scores` are read;
        - what `ranking_scores.from_tables` returned, which is scored by `scores`.

        Columns and results are called metrics here. Groups in reports are ignored: pass `by`.

    scores : str, callable, sequence of these or dict, default=None
        The scores of systems that are `RankingData`, such as ``["ndcg@10", "map"]``, as in
        `ranking_report`, or the columns of tables to read. Without a cutoff, a score covers the
        whole list. Other systems come with their scores, so `scores` is then left out.

    baseline : str, default=None
        The name of the system that all others are compared with. None compares all pairs.

    correction : {"max-t", "holm", "bh"} or None, default="max-t"
        The correction of the p-values:

        - "max-t": the largest t statistic of the family, over flips of the signs of whole queries
          [1]_. It controls the family-wise error rate: the probability of one or more false
          findings is at most ``1 - confidence_level``. It accounts for correlations between
          systems and between scores. It is often more powerful than Holm's method for the largest
          difference. Holm's method may find more if many systems differ.
        - "holm": Holm's method, which controls the same rate with any test. A test that draws
          resamples needs enough of them for a p-value that is low enough.
        - "bh": the method of Benjamini and Hochberg [3]_, which controls the expected share of
          false findings among all findings, under independence or positive dependence.
        - None: no correction.

    family : {"metric", "all"}, default="metric"
        The comparisons that are corrected together: those of each metric, or all. Use "all" if a
        finding in any of the metrics counts.

    by : array-like of shape (n_queries,), default=None
        The group of each query, such as its device or language. Each pair is then compared in
        each group. The comparisons of all groups are corrected together, and each pair has a
        p-value of the interaction: whether its difference depends on the group. If a cluster has
        queries in several groups, those in each group are a cluster of that group.

    test : str, default="auto"
        The paired test, which is one of these. All except Wilcoxon's test the mean of the
        differences:

        - "auto": "mcnemar" if all scores are 0 or 1, unless a report tells that the score can be
          something else, such as DCG, and "t" otherwise.
        - "t": Student's t test.
        - "permutation": flips the signs of the differences. It is exact, with all combinations of
          signs, if at most 36 queries (or clusters) have both scores, and takes `n_resamples`
          random ones otherwise.
        - "wilcoxon": Wilcoxon's signed-rank test, which does **not** test the mean. It tests
          whether the differences are symmetric about 0. On thousands of queries, as in
          recommendation, it far too often finds differences that are not differences of the mean
          (Ihemelandu and Ekstrand, 2023). It discards draws. Its interval is that of the t test.
        - "bootstrap": draws queries with replacement and compares t statistics.
        - "mcnemar": McNemar's mid-p test, the sign test of scores of 0 and 1. Its interval is
          Tango's.
        - "sequential": a mixture of t tests, which stays valid if the comparison is looked at
          again and again while queries come in.
        - "betting": bets on each query in turn, which stay valid as well, and however rare large
          differences are. It is for scores that are between 0 and 1 by definition: reports, or
          frames whose columns are named by scores. The order of the queries matters.

    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The difference to test for: any difference, B greater than A, or B less than A. The
        interval of a one-sided test has one limit, and the other limit is infinite.

    margin : float, default=None
        A difference that does not matter. The result then also has the p-values of two claims: B
        is not worse than A by the margin, and B is neither worse nor better by the margin.

    sample_weight : array-like of shape (n_queries,), default=None
        The weight of each query in the mean, such as the number of users that it stands for.
        Weights are finite, not negative and not all zero, and a query of weight 0 is left out.
        None takes the `sample_weight` of reports, if they have it.

    clusters : array-like or dict, default=None
        The cluster of each query, such as its user, topic or session. Queries of one cluster may
        depend on each other: they are drawn and flipped together, and the t test is about
        clusters. A Series or a dict of query ids is matched by these ids. None takes the
        `clusters` of reports. Without any, all queries are independent.

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
        A frozen dataclass with the results of `compare` as arrays, one row per metric, group and
        pair, and with `pvalue_uncorrected`. With `by`, it also has `groups` and
        `pvalue_interaction`, and with a margin `pvalue_noninferior` and `pvalue_equivalent`. The
        object prints as a table, in which an asterisk marks the p-values of significant
        differences.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if the systems were scored on different queries
        or with different options, if a report has item weights, or if a pandas index has an id
        twice and there are no `clusters`. Queries differ if their numbers differ, or their ids in
        reports or pandas indexes. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    UserWarning
        If all differences of a row are equal, but not 0, unless the test is "permutation" or
        "betting". Tests that estimate their spread then have p-values that are too low, and the
        others, as max-T, an interval without width. Or if the mean is not in the interval of
        "betting". Or if there are unequal weights or clusters, and fewer than 10 effective queries
        or clusters, unless the test is "permutation". Or if clusters have queries in several
        groups, so that there is no p-value of the interaction.

    See Also
    --------
    compare : Compares two systems by one score.
    ranking_report : Computes several scores of each query at once.

    Notes
    -----
    The difference of a row is the second system minus the first, or a system minus the baseline.

    With "max-t", let t be the t statistic of a row, and M the largest absolute t of its family
    after the signs of some queries are flipped in all rows at once. The corrected p-value is ::

        (1 + the number of resamples with M >= |t|) / (1 + the number of resamples)

    The p-values are single-step, not step-down. The interval is the difference, plus and minus its
    standard error times a quantile of M. For this M, the signs of the differences minus their
    mean are flipped, since flips of the differences themselves would make the intervals too short
    if some systems really differ. The intervals are simultaneous: unless there are very few
    queries, the probability that all of them contain the true difference is the confidence level.
    The p-values are exact if the systems could change places on each query, and the intervals
    are asymptotic. So a p-value may be above ``1 - confidence_level`` although its interval does
    not contain 0, or the other way round.
    One-sided alternatives use t instead of its absolute value. All combinations of flips are used
    if at most 16 queries have both scores in some row of the family. The other queries are left
    out.

    If the systems could not change places, flips of signs are not exact. If the systems have equal
    means, but other spreads, and skewed scores, "max-t" finds differences too often: with 15
    systems on 30 queries, in 16 to 30 % of the cases. ``test="bootstrap"`` then draws queries as
    well, and takes the larger one of both p-values and the longer one of both intervals. In the
    same simulations, it finds a difference in at most 5 % of the cases. It never finds more than
    the flips, so it is as safe as they are where they are exact. The price is power: for scores
    of 0 and 1 and for systems that mostly draw, it fell from 0.245 to 0.025 in a simulation.

    With any other correction, each row has the interval that `compare` returns for it alone. This
    interval is not corrected. Max-T has been evaluated on runs of TREC [2]_.

    With a margin, each row has the two claims of `compare`: that its second system is not worse
    than its first by the margin, and that neither is worse or better by it. The imaginary query is
    one of each group. Each claim is corrected over the rows of a family, by Holm's method if the
    correction is "max-t", and otherwise by the correction. Max-T is not safe here: its flips of
    signs assume that the differences plus the margin are symmetric about their mean. They are not
    if few queries change by a lot: of versions that crash on 2 % of 115 queries, which are worse
    by a margin of 0.02, the flips pass those 10 % that do not crash on any of the queries drawn.

    The interaction is tested by Welch's analysis of variance of the differences of a pair by
    group, corrected by Holm's method over the pairs of a family. It is for independent groups, so
    it is NaN if a cluster has queries in several groups, such as a user with two devices. All else
    holds then: each row needs the clusters of its group alone, and max-T flips the signs of whole
    clusters in all groups at once.

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
    >>> systems = {
    ...     name: of_query + gain + rng.normal(scale=0.07, size=40)
    ...     for name, gain in [("bm25", 0), ("dense", 0.06), ("hybrid", 0.08)]
    ... }
    >>> compare_all(systems, random_state=0)
                    difference        low    high  p-value  effect size  wins  draws  losses
    dense - bm25        0.0391  0.0008512  0.0774  0.0424*       0.3962    26      0      14
    hybrid - bm25       0.0471     0.0035  0.0908  0.0296*       0.4185    24      0      16
    hybrid - dense      0.0080    -0.0275  0.0434  0.8491        0.0873    20      0      20
    <BLANKLINE>
    40 queries
    p-values corrected by max-T; simultaneous 95 % intervals
    p-values: sign-flip permutation test; exact if systems are exchangeable on each query
    intervals: flips of centred differences, asymptotic
    * significant: the p-value is at most 0.05
    >>> compare_all(systems, baseline="bm25", correction="holm").pvalue
    array([0.02332746, 0.02332746])
    """
    function = "compare_all"
    settings = check_settings(
        test, alternative, confidence_level, n_resamples, function, correction
    )
    if margin is not None:
        margin = check_margin(margin, test, function)
    is_random = test in RANDOM or correction == "max-t"
    settings = settings._replace(seed=seed_of(random_state, function, is_used=is_random))
    check_option(family, "family", function, ("metric", "all"))
    given = read_systems(systems, scores, function, QueryParameters(sample_weight, clusters, by))
    check_no_human(given, "systems", function)
    if baseline is not None and not (isinstance(baseline, str) and baseline in given.systems):
        expected = "None or one of the keys of `systems`"
        raise invalid("baseline", function, expected, describe(baseline))
    return compare_pairs(
        given,
        settings,
        function,
        baseline=baseline,
        correction=correction,
        family=family,
        margin=margin,
    )
