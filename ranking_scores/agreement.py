"""How far two rankings of the same queries agree, exact under ties, without labels.

`a` and `b` are two rankings by ids, such as yesterday's and today's result lists, or two arrays of
scores. Every function takes both, or the result of `pair_rankings`, which joins them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._agreement import (
    DEFAULT_MEASURES,
    PairedRankings,
    Places,
    Shared,
    average_overlap_at,
    by_query,
    find_measures,
    overlap_at,
    pair,
    rank_biased,
    weight_of_queries,
)
from ranking_scores._base import check_option, check_persistence
from ranking_scores._metrics import begin, evaluation_of
from ranking_scores._statistics import (
    AgreementReport,
    MovedItem,
    QueryAgreement,
    check_count,
    report_of_pairs,
)

__all__ = [
    "AgreementReport",
    "MovedItem",
    "PairedRankings",
    "Places",
    "QueryAgreement",
    "agreement_report",
    "average_overlap",
    "overlap_at_k",
    "pair_rankings",
    "rank_biased_overlap",
]


def __dir__() -> list[str]:
    return __all__


def pair_rankings(
    a: Any,
    b: Any = None,
    *,
    query: Any = None,
    item: Any = None,
    score: Any = None,
    rank: Any = None,
    qid: ArrayLike | None = None,
    duplicates: Literal["error", "best", "hold"] = "error",
) -> PairedRankings:
    """Join two rankings of the same queries, for all functions of this module."""
    names = {"query": query, "item": item, "score": score, "rank": rank}
    return pair(a, b, qid=qid, duplicates=duplicates, **names)


def overlap_at_k(
    a: Any,
    b: Any = None,
    k: Any = 10,
    *,
    denominator: Literal["longer", "shorter", "k"] = "longer",
    qid: ArrayLike | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Overlap at k: the share of the first k items that two rankings have in common."""
    call = begin("overlap_at_k", k, average, replace_undefined_by)
    check_option(denominator, "denominator", call.function, ("longer", "shorter", "k"))
    paired = pair_rankings(a, b, qid=qid)

    def overlap(shared: Shared) -> NDArray[np.float64]:
        return overlap_at(shared, call.cutoffs.ranks, denominator)

    values = by_query(paired, call.depth, call.cutoffs.ranks.size, overlap)
    weight = weight_of_queries(paired, sample_weight, call.function)
    return evaluation_of(call, values, weight, paired.query_ids).result()


def average_overlap(
    a: Any,
    b: Any = None,
    k: Any = None,
    *,
    qid: ArrayLike | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Average overlap: the mean of the overlaps at 1, 2, ..., k."""
    call = begin("average_overlap", k, average, replace_undefined_by)
    paired = pair_rankings(a, b, qid=qid)

    def overlap(shared: Shared) -> NDArray[np.float64]:
        return average_overlap_at(shared, call.cutoffs.ranks)

    values = by_query(paired, call.depth, call.cutoffs.ranks.size, overlap)
    weight = weight_of_queries(paired, sample_weight, call.function)
    return evaluation_of(call, values, weight, paired.query_ids).result()


def rank_biased_overlap(
    a: Any,
    b: Any = None,
    p: float = 0.9,
    *,
    ties: Literal["mean", "equal", "corrected"] = "mean",
    tail: Literal["extrapolated", "min", "max", "residual"] = "extrapolated",
    qid: ArrayLike | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Rank-biased overlap (RBO): the expected agreement of two rankings, by a user's patience."""
    call = begin("rank_biased_overlap", None, average, replace_undefined_by)
    persistence = check_persistence(p, call.function, "p")
    check_option(ties, "ties", call.function, ("mean", "equal", "corrected"))
    check_option(tail, "tail", call.function, ("extrapolated", "min", "max", "residual"))
    paired = pair_rankings(a, b, qid=qid)

    def overlap(shared: Shared) -> NDArray[np.float64]:
        return rank_biased(shared, persistence, ties, tail)

    values = by_query(paired, call.depth, 1, overlap)
    weight = weight_of_queries(paired, sample_weight, call.function)
    return evaluation_of(call, values, weight, paired.query_ids).result()


def agreement_report(
    a: Any,
    b: Any = None,
    *,
    scores: str | Sequence[str] = DEFAULT_MEASURES,
    by: Any = None,
    clusters: Any = None,
    sample_weight: Any = None,
    qid: ArrayLike | None = None,
    n: int = 10,
) -> AgreementReport:
    """Report how far two rankings agree, and for which queries they differ most.

    It needs no labels. The report is that of `ranking_scores.ranking_report`, with measures of
    agreement in place of scores, so tests, intervals, gates and files take it.

    Parameters
    ----------
    a, b : rankings
        The old and the new rankings, in any form that `pair_rankings` takes: dicts of lists of
        ids, tables, or arrays of scores. Or `a` is the result of `pair_rankings`, without `b`.

    scores : str or sequence of str, default=("overlap@10", "rbo@0.9")
        The names of the measures:

        - "overlap@10": `overlap_at_k` with k = 10;
        - "average_overlap@10": `average_overlap` with k = 10;
        - "rbo@0.9": `rank_biased_overlap` with p = 0.9.

    by : array-like or dict, default=None
        The group of each query, as in `ranking_scores.ranking_report`: in the order of the
        queries, or by their ids. A dict may map names to several groupings.

    clusters : array-like or dict, default=None
        The cluster of each query, such as its user or session, in the form of `by`. The standard
        errors count in that queries of one cluster may depend on each other.

    sample_weight : array-like, dict or Series, default=None
        The weight of each query, in the order of the queries or by their ids.

    qid : array-like of shape (n_rows,), default=None
        The query of each row, if `a` and `b` are scores with one item per row. The queries are
        those of ``np.unique(qid)``.

    n : int, default=10
        The number of queries in `changed`, for each measure.

    Returns
    -------
    report : AgreementReport
        A `ranking_scores.report.RankingReport` with the queries that changed most in `changed`. It
        prints as a table, with these queries and their items below.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If a mean is NaN, since both lists of each query are empty.

    See Also
    --------
    ranking_scores.gates.check : Fails if two rankings agree too little.
    ranking_scores.significance.changes : Tells what changed between two reports with labels.

    Notes
    -----
    A query that only one of the rankings has is left out, and a line of the report says so. A
    query whose lists are both empty has no agreement, which is NaN, and does not enter the mean.

    If some items of a query have equal scores, an item has several possible ranks, which `before`
    and `now` of the items that moved give as the first and the last of them. It is among the
    first k if the first of these ranks is at most k. The measures are the means over all orders of
    such items, so even a ranking and itself may agree less than 1.

    `to_json` saves the values of all queries, and not `changed`. What
    `ranking_scores.report.read_report` returns is a `RankingReport` that equals the report.

    Examples
    --------
    >>> from ranking_scores.agreement import agreement_report
    >>> yesterday = {"tea": ["a", "b", "c"], "milk": ["d", "e"], "rice": ["f", "g"]}
    >>> today = {"tea": ["a", "c", "b"], "milk": ["d", "x"], "salt": ["y"]}
    >>> report = agreement_report(yesterday, today, scores=["overlap@2", "rbo@0.9"])
    >>> report
                 mean  standard error  undefined
    overlap@2  0.5000          0.0000          0
    rbo@0.9    0.7525          0.2025          0
    <BLANKLINE>
    changed most in overlap@2
          overlap@2
    milk     0.5000
    tea      0.5000
    <BLANKLINE>
    items of these queries that left the first 2 or came in
          item           rank before    rank now
    milk  e     left     2              not retrieved
    milk  x     came in  not retrieved  2
    tea   b     left     2              3
    tea   c     came in  3              2
    <BLANKLINE>
    2 queries
    1 query was only in a, and is left out: 'rice'
    1 query was only in b, and is left out: 'salt'
    >>> report.changed["overlap@2"][0].left
    (MovedItem(item='e', before=(2, 2), now=None),)
    """
    caller = "agreement_report"
    measures = find_measures(scores, caller)
    count = check_count("n", n, 0, caller)
    given = {"by": by, "clusters": clusters, "sample_weight": sample_weight}
    paired = pair_rankings(a, b, qid=qid)
    return report_of_pairs(paired, measures, given, count, caller)
