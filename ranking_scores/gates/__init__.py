"""A gate in front of a release: fail if the scores of a report are too low, or have dropped.

In a test of pytest, ``check(report, "baseline.json", max_drop={"ndcg@10": 0.01}).require()``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import advises_on_keywords, check_bool, describe
from ranking_scores.gates._conditions import Condition, GateResult, check_requirements, check_rule
from ranking_scores.gates._gating import run_gate, update_baseline
from ranking_scores.significance._human_labels import reports_with_human
from ranking_scores.significance._readers import RankingReport, read_report
from ranking_scores.significance._tests import check_level

__all__ = ["Condition", "GateResult", "check"]


def __dir__() -> list[str]:
    return __all__


@advises_on_keywords
def check(
    report: RankingReport | str | os.PathLike[str],
    baseline: RankingReport | str | os.PathLike[str] | None = None,
    *,
    at_least: float | Mapping[str, float] | None = None,
    max_drop: float | Mapping[str, float] | None = None,
    rule: Literal["difference", "surely worse", "surely not worse"] = "difference",
    queries: Literal["equal", "both"] = "equal",
    by: str | Sequence[str] | None = None,
    undecided: Literal["pass", "fail"] | None = None,
    human: Any = None,
    confidence_level: float = 0.95,
    n_runs: int = 1,
    update_if_better: bool = False,
) -> GateResult:
    """Check that the scores of a report are high enough, and have not dropped.

    Each score, of all queries together and of each group, is a condition, which passes, fails or
    is undecided. The report passes if all conditions do.

    Parameters
    ----------
    report : RankingReport or path
        The report to check, or the path of one that `RankingReport.to_json` has saved.

    baseline : RankingReport or path, default=None
        The report of the version to compare with. It is needed for `max_drop`, and left out
        otherwise.

    at_least : float or dict of str to float, default=None
        The lowest mean that passes, by the name of the result, such as ``{"recall@10": 0.9}``, or
        one number for all results. If a lower score is better, it is the highest mean that
        passes. All spellings of names that `ranking_report` knows are accepted.
        ``{"macro:recall@10": 0.9}`` is about the mean of the means of groups, which `by` names.

    max_drop : float or dict of str to float, default=None
        The largest drop below the baseline that passes, at least 0, such as
        ``{"ndcg@10": 0.01}``, or one number for all results. If a lower score is better, it is the
        largest rise.

    rule : {"difference", "surely worse", "surely not worse"}, default="difference"
        The rule for means and drops:

        - "difference": a drop fails if the means differ by more than is allowed, and a mean fails
          if it is below the lowest one that passes.
        - "surely worse": a drop fails only if the whole confidence interval of the difference
          is a larger drop than allowed, and a mean only if its whole interval is below the lowest
          one that passes. Chance alone hardly ever fails the gate.
        - "surely not worse": a drop passes only if no part of the interval is a larger drop than
          allowed, and a mean only if no part of its interval is below the lowest one that passes.
          Chance alone hardly ever passes a worse version. This is a test of non-inferiority [1]_.

    queries : {"equal", "both"}, default="equal"
        What happens if only one of the reports has a query. "equal" is an error. "both" is for a
        gold set that grows: `max_drop` is about the queries that both have, by their ids, and
        `notes` has the numbers of those that are new, gone or judged anew.

    by : str or sequence of str, default=None
        The name of a grouping of the report, or several. Each condition is then also checked for
        each group, and those about "macro:" results for each grouping. None takes the only
        grouping of the report for these.

    undecided : {"pass", "fail"}, default=None
        Whether a condition passes if its interval contains the limit, so that the queries are too
        few to tell. None is "pass" for the rule "surely worse" and "fail" for
        "surely not worse". The rule "difference" always decides.

    human : RankingReport or path, pair of these, default=None
        The report on people's labels of a random part of the queries, if a model wrote the labels
        of `report`. With a baseline, it is a pair: that of `report` and that of `baseline`. Means,
        differences and their intervals are then those of prediction-powered inference, as in
        `ranking_scores.significance.compare`. None takes the `human` of the reports, if they
        have it.

    confidence_level : float, default=0.95
        The confidence level of the interval. The level of the test is 1 minus this number.

    n_runs : int, default=1
        The number of gates that have this level together, such as 30 for one a night during a
        month, and at most a million. It is for the two rules that look at the interval.

    update_if_better : bool, default=False
        Whether the report takes the place of the baseline, in its file, if it passes and no score
        of the baseline fell by more than its `max_drop`, or at all without one. The file keeps the
        last 100 means as `history` of the report, and `notes` says what was written, or why not.

    Returns
    -------
    result : GateResult
        The conditions with their verdicts. It is true if the report passed, has
        `passed`, prints as a table, and ``result.require()`` raises an error with this table if
        the report failed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if a result or a group is missing, or if the two
        reports have different queries, options, weights or clusters. The error is of both types,
        as in scikit-learn.
    OSError
        If a file cannot be read or written.

    Warns
    -----
    UserWarning
        If the two reports rest on different judgments.

    See Also
    --------
    ranking_scores.significance.compare : Compares two systems, with tests and an interval.
    ranking_scores.significance.queries_needed : Computes the number of queries to tell.
    RankingReport.to_json : Saves the baseline.

    Notes
    -----
    The interval of the difference is that of `ranking_scores.significance.compare`: Student's t,
    or Tango's interval if all scores are 0 or 1 and cannot exceed 1. It respects the weights and
    the clusters of the reports. One side of a 95 % interval is missed with a probability of 2.5 %.
    If a few queries change by a lot, the differences are skewed, and the t interval is too short
    on one side. So for the two rules that use it, its limits are moved outwards to those of Hall's
    transformation [3]_, if these are wider::

        mean - error * 3 / g ((1 + g (t - g / 6))^(1/3) - 1)

    Here t is the quantile of Student's distribution, with either sign, and g is the skewness of
    the differences divided by the square root of the number of queries.

    With "surely worse", one of many conditions fails easily by chance. So the level of each
    interval is corrected by Bonferroni's method for the number m of conditions, which are means
    and drops of scores times groups::

        1 - (1 - confidence_level) / m

    If no score has dropped by more than is allowed, the whole gate fails in at most
    ``(1 - confidence_level) / 2``, which is 2.5 %. With "surely not worse", each interval has the
    plain level. This needs no correction, since all conditions must pass: a version that is worse
    in any of them passes in at most 2.5 % [2]_. If the differences are skewed and the queries are
    few, both rates are higher: up to 5 % for 10 queries. If the range of the score is known, as
    that of nDCG is, each such limit accounts for changes that are too rare to be among the
    queries: it is at least as wide as with one imaginary query of the mean weight more, which
    drops or rises by the whole range, with `human` by people's labels alone. Without it, a version
    that crashes on 2 % of the queries passes easily. A version that does not change then passes
    with a `max_drop` of 0.02 on 148 queries or more. If the range is unknown and no query has
    changed, the interval is a point, and the condition passes. If fewer than five queries changed,
    `notes` says so. Tango's interval is never a point. The guide has a table of simulations.

    A mean over G groups takes the groups as given, and their queries as independent. Each limit of
    its interval is as far from it as ``sqrt(sum(d^2)) / G``, with the distances d in the intervals
    of the groups [4]_. For those of t, it is the error of a stratified mean, with the quantiles of
    the groups. Only one group has an imaginary query more. If a group has fewer than two queries,
    it is undecided. It cannot be combined with `human`, or with clusters that several groups
    share.

    Gates that run again and again are wrong again and again. With `n_runs`, the level of each
    interval is that of Bonferroni's method for all of them, so that a version which is not worse
    fails in any run in at most 2.5 %, and with "surely not worse", one that is worse passes in any
    run as seldom.

    The interval of a mean is that of `ranking_scores.significance.confidence_interval`, at the
    same level as those of the differences: Student's t within the range of the score, or that of a
    share. The rule "difference" looks at the mean alone.

    If a condition is undecided, `n_queries_needed` is the number of queries with which the
    one-sided t test at the same level would decide with a probability of 80 %, if the observed
    difference and the spread of the differences are the true ones. If no query changed, it is
    instead the lowest number of unchanged queries that pass by the limits of t.

    With unequal weights or clusters, and fewer than 10 effective queries or clusters, the interval
    may be too short, so the two rules that look at it leave the condition undecided. For the means
    of scores of 0 and 1, that holds for clusters of equal sizes, too.

    A mean that is undefined, NaN, fails. Differences of a few roundings do not count: a drop from
    0.8 to 0.79 is not above 0.01. A query that has a score in only one of the reports is left out
    of the difference, and the reason says so.

    Reports without the values of each query, and reports with item weights, can be checked by the
    rule "difference" alone, from their means. They must have equally many queries.

    If both reports were made with ``ties=True``, the reason says if a drop lies within the range
    of tie orders: the best order of tied items is then as good as the worst one in the baseline.

    References
    ----------
    .. [1] Gilda Piaggio, Diana R. Elbourne, Stuart J. Pocock, Stephen J. W. Evans, Douglas G.
           Altman. Reporting of noninferiority and equivalence randomized trials. JAMA 308 (24),
           2012. :doi:`10.1001/jama.2012.87802`.
    .. [2] Roger L. Berger. Multiparameter hypothesis testing and acceptance sampling.
           Technometrics 24 (4), 1982.
    .. [3] Peter Hall. On the removal of skewness by transformation. Journal of the Royal
           Statistical Society B 54 (1), 1992.
    .. [4] Guang Yong Zou, Allan Donner. Construction of confidence limits about effect measures: a
           general approach. Statistics in Medicine 27 (10), 2008. :doi:`10.1002/sim.3095`.

    Examples
    --------
    >>> from ranking_scores import ranking_report
    >>> from ranking_scores.gates import check
    >>> y_true = [[0, 2, 1], [1, 0, 0], [0, 1, 0], [0, 1, 1], [2, 0, 1], [0, 0, 1]]
    >>> old = [[1, 3, 2], [3, 2, 1], [1, 3, 2], [2, 1, 3], [3, 1, 2], [1, 2, 3]]
    >>> new = [[1, 3, 2], [2, 3, 1], [1, 3, 2], [1, 2, 3], [3, 1, 2], [2, 1, 3]]
    >>> baseline = ranking_report(y_true, old, scores=["ndcg@3", "recall@1"])
    >>> report = ranking_report(y_true, new, scores=["ndcg@3", "recall@1"])
    >>> result = check(report, baseline, at_least={"ndcg@3": 0.9}, max_drop=0.01)
    >>> result
                mean  baseline mean  difference      low    high  asked                 verdict
    ndcg@3    0.9385         0.9866     -0.0481  -0.2165  0.1203  drop of at most 0.01  failed
    recall@1  0.5833         0.7500     -0.1667  -0.5951  0.2618  drop of at most 0.01  failed
    ndcg@3    0.9385                                              at least 0.9          passed
    <BLANKLINE>
    failed: 2 of 3 conditions failed
    ndcg@3: fell by 0.0481, more than 0.01
    recall@1: fell by 0.1667, more than 0.01
    rule 'difference'; 95 % intervals for information: the rule looks at the difference alone
    >>> check(report, baseline, max_drop=0.01, rule="surely worse").passed
    True
    """
    function = "check"
    level = check_level(confidence_level, function)
    checked_rule = check_rule(rule, undecided, level, n_runs, function)
    is_update = check_bool(update_if_better, "update_if_better", function)
    if is_update and not str(baseline).lower().endswith((".json", ".json.gz")):
        expected = "a path that ends in .json or .json.gz if update_if_better=True"
        raise invalid("baseline", function, expected, describe(baseline))
    if is_update and human is not None:
        expected = "None if update_if_better=True, which keeps the `human` of reports alone"
        raise invalid("human", function, expected, describe(human))
    new = read_report(report, "report", function)
    old = None if baseline is None else read_report(baseline, "baseline", function)
    if human is not None:
        new, old = reports_with_human(new, old, human, function)
    given = {"at_least": at_least, "max_drop": max_drop, "queries": queries, "by": by}
    requirements = check_requirements(new, old, given, function)
    result = run_gate(new, old, requirements, checked_rule, function)
    if not is_update or old is None:
        return result
    return update_baseline(result, str(baseline), new, old, requirements, function)
