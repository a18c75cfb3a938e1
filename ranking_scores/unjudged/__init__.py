"""What nobody judged: how far it could move a score, or the difference of two systems."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

from numpy.typing import ArrayLike

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import describe, is_sparse
from ranking_scores._metrics._named import after_data
from ranking_scores._queries._data import refuse_aspects
from ranking_scores._tables._ranking_data import RankingData, arrays_of
from ranking_scores.unjudged._bounds import (
    bind,
    bounds_of,
    check_columns,
    check_data,
    choose_items,
    data_of_tables,
    differences_of,
    plans_of_systems,
    rankings_of_arrays,
)
from ranking_scores.unjudged._results import ItemToJudge, ScoreBounds

__all__ = ["ItemToJudge", "ScoreBounds", "items_to_judge", "score_bounds"]


def __dir__() -> list[str]:
    return __all__


@after_data
def score_bounds(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    score: Callable[..., Any] | str,
    other: ArrayLike | RankingData | None = None,
    max_grade: int = 1,
    **params: Any,
) -> ScoreBounds:
    """Return the lowest and the highest score that labels of unjudged items could give.

    Judgments are never complete. An item that was retrieved and not judged counts as not relevant,
    although it might be. The bounds cover every label that each of these items could have, and
    items with equal scores are in all of their orders. With `other`, they are those of the
    difference of two systems, in which an item has the same label for both.

    Parameters
    ----------
    y_true : array-like, sparse or RankingData
        The labels, in any layout that `score` accepts. The label of an unjudged item is NaN, or is
        not stored in a sparse matrix. Or the result of `ranking_scores.from_tables` or its like,
        without `y_score`: then every item that has no row in the judgments is unjudged.

    y_score : array-like or sparse, default=None
        The scores that rank the items, in the same layout.

    score : callable or str
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        The names are listed in `ranking_report`.

    other : array-like, sparse or RankingData, default=None
        A second system, to compare with the first. It is `RankingData` if `y_true` is, with the
        same queries and judgments, and otherwise scores in the layout of `y_score`. None: the
        bounds are those of one system.

    max_grade : int, default=1
        The highest label that an unjudged item could have. Each label is a whole number from 0 to
        `max_grade`. If the score has a `max_grade` of its own, as ERR does, it gets this one,
        unless a `partial` sets another.

    **params
        Other parameters of `score`, such as ``k=[1, 10]``, ``qid=`` or ``average=None``, except
        `item_weight`.

    Returns
    -------
    bounds : ScoreBounds
        A frozen dataclass. `low`, `high`, `not_relevant` and `condensed` are floats, or arrays of
        shape (n_k,) for a list of cutoffs. With ``average=None`` they have one value per query,
        like the score. With `other` they are differences: the other system minus the first, as in
        `ranking_scores.significance.compare`.

    Raises
    ------
    ValueError, TypeError
        If `score` is not a score of this package, if it refuses the data, a label up to
        `max_grade` or the parameters, if `item_weight` is given, if the values of a callable
        `discount` rise from one rank to the next, or if `other` has other queries or judgments.
        With ``replace_undefined_by=np.nan``, if the mean leaves out a query with some of the
        labels and counts it with others. The error is of both types, as in scikit-learn.

    Warns
    -----
    UserWarning
        If a judged item has a label above `max_grade`, which an unjudged one might have, too.

    See Also
    --------
    items_to_judge : The items whose labels would narrow the bounds most.
    ranking_scores.judged_at_k_score : The share of the first ranks that were judged.
    ranking_scores.bpref_score : Leaves unjudged items out of account.
    ranking_scores.ranking_report : Has the bounds of many scores with ``unjudged=True``.

    Notes
    -----
    The lowest value need not be the one without a further relevant item, nor the highest that in
    which all are relevant: an item that becomes relevant at a low rank also raises the ideal of
    nDCG, and the number of relevant items of recall and MAP. The labels of the two ends fall or
    rise along the ranking. The guide has the proofs, see "Unjudged documents".

    The bounds of a single system are attained, with one exception: pairwise accuracy with more
    than two grades, if a query has many unjudged items. For a difference, all labels are tried
    if a query has few unjudged items that can change it: up to 11 with two grades. Otherwise, the
    bounds are those of the two systems, each with its own labels, and surely outside. `is_exact`
    tells which of both they are. The bounds of a mean are those of all queries together.

    Relevant items that were neither retrieved nor judged would lower recall, MAP and nDCG further.
    No bound tells how many there are. An empty rank of `RankingData` has the label 0, whatever
    the other labels are. No label changes what was judged, so the bounds of judged@k are its
    value.

    Each bound is rounded as the score itself is. Scores of other labels that are equal to a bound
    on paper may differ from it in their last bit.

    The time grows with the number of unjudged items and of grades. Give a cutoff if queries have
    hundreds of them, and few grades.

    Examples
    --------
    Nobody judged the first and the last item of the first query:

    >>> import numpy as np
    >>> from ranking_scores.unjudged import score_bounds
    >>> y_true = [[np.nan, 1, 0, np.nan], [1, 0, 0, 0]]
    >>> y_score = [[4, 3, 2, 1], [4, 3, 2, 1]]
    >>> score_bounds(y_true, y_score, score="recall@3")
    ScoreBounds(
        of='score',
        low=0.75,
        high=1.0,
        not_relevant=1.0,
        condensed=1.0,
        is_exact=True,
        n_unjudged=2,
    )

    The lowest recall is that with a relevant item at the last rank, which is one more to be found.

    Another system has the first item first, too. Its mean reciprocal rank overlaps:

    >>> other = [[4, 2, 3, 1], [4, 3, 2, 1]]
    >>> for scores in (y_score, other):
    ...     bounds = score_bounds(y_true, scores, score="mrr")
    ...     print(round(bounds.low, 3), bounds.high)
    0.75 1.0
    0.667 1.0

    But an item has one label for both systems. Whatever it is, the other one is not better:

    >>> bounds = score_bounds(y_true, y_score, other=other, score="mrr")
    >>> bounds.of, bounds.low, bounds.high
    ('other - first', -0.083..., 0.0)
    >>> bounds.scope
    '2 items were retrieved and not judged. Each could have any label 0 or 1, the same for both
    systems. The bounds leave out relevant items that neither system retrieved and nobody judged.'
    """
    function = "score_bounds"
    given = y_true
    y_true, y_score, query_ids, order = arrays_of(y_true, y_score, None, function)
    refuse_aspects(other, "other", function)
    bound, highest = bind(score, params, max_grade, function)
    plan = bound.plan(y_true, y_score, query_ids=query_ids, order=order)
    if other is None:
        return bounds_of(bound, plan, highest, function)
    if isinstance(given, RankingData) != isinstance(other, RankingData):
        expected = "RankingData, as y_true is"
        if not isinstance(given, RankingData):
            expected = "scores, as y_score is"
        raise invalid("other", function, expected, describe(other))
    if isinstance(given, RankingData) and isinstance(other, RankingData):
        joined, other_scores = data_of_tables(given, other, function, "other")
        check_columns(plan, given, other, function, "other")
        plans = plans_of_systems(bound, joined, joined.y_score, other_scores)
    else:
        if is_sparse(other) != is_sparse(y_score):
            expected = f"{'sparse' if is_sparse(y_score) else 'dense'}, as y_score is"
            raise invalid("other", function, expected, describe(other))
        plans = plan, bound.plan(y_true, other)
    return differences_of(bound, plans, highest, function)


@after_data
def items_to_judge(
    data: RankingData,
    other: RankingData | None = None,
    *,
    score: Callable[..., Any] | str,
    n: int | None = 100,
    max_grade: int = 1,
    **params: Any,
) -> list[ItemToJudge]:
    """List the unjudged items whose labels would tell most about a score or a difference.

    Give the list to a judge, add the labels, and ask again, until the bounds are narrow enough or
    the verdict about two systems holds. The order is greedy: it says what each label alone takes
    from the range of `score_bounds`, on average over the gains that its label could give. Several
    labels together may take more or less than their sum.

    Parameters
    ----------
    data : RankingData
        The result of `ranking_scores.from_tables` or its like.

    other : RankingData, default=None
        A second system with the same queries and judgments. The items are then those that tell
        most about the difference. None: those that tell most about the score of one system.

    score : callable or str
        A score of this package with one cutoff or none, its name, such as "ndcg@10", or a
        `functools.partial` of a score.

    n : int or None, default=100
        The greatest number of items. None: all unjudged items that were retrieved.

    max_grade : int, default=1
        The highest label that an unjudged item could have, as in `score_bounds`.

    **params
        Other parameters of `score`, except `item_weight` and `average`.

    Returns
    -------
    items : list of ItemToJudge
        The items, those that tell most first. `width` is by how much the range of the mean would
        get narrower. Items that tell equally much are in the order of their queries. A range that
        is only surely outside may narrow by more, once so few items are left that it is exact.

    Raises
    ------
    ValueError, TypeError
        If `score_bounds` refuses the arguments, if there are several cutoffs, or if `n` is no
        positive int. The error is of both types, as in scikit-learn.

    See Also
    --------
    score_bounds : The range itself.

    Notes
    -----
    The average takes each gain that a label could give for equally likely. If you know that most
    unjudged items are not relevant, the order is still useful, but the width is not.

    Items that are below the cutoff in both systems share what their labels would take together.
    Without a cutoff the time grows with the third power of the number of unjudged items of a
    query, so give a cutoff if queries have hundreds of them.

    Examples
    --------
    >>> from ranking_scores import from_lists
    >>> from ranking_scores.unjudged import items_to_judge
    >>> judgments = {"a query": {"d1": 1, "d2": 0}}
    >>> data = from_lists(judgments, {"a query": ["d3", "d1", "d2", "d4"]})
    >>> for item in items_to_judge(data, score="ndcg@3"):
    ...     print(item.query, item.item, item.ranks, round(item.width, 3))
    a query d3 (1, 1) 0.374
    a query d4 (4, 4) 0.239
    """
    function = "items_to_judge"
    for name, each in (("data", data), ("other", other)):
        if not isinstance(each, RankingData) and (name == "data" or each is not None):
            expected = "RankingData, in which queries and items have ids"
            advice = "Make it with from_lists, from_tables or the functions of trec."
            raise invalid(name, function, expected, describe(each), advice)
        refuse_aspects(each, name, function)
    if n is not None and (not isinstance(n, Integral) or isinstance(n, bool) or n < 1):
        raise invalid("n", function, "None or an int of at least 1", describe(n))
    if "average" in params:
        expected = "left out, since the items are those of the mean"
        raise invalid("average", function, expected, describe(params["average"]))
    bound, highest = bind(score, params, max_grade, function)
    scores = [data.y_score]
    given = data
    if other is not None:
        data, other_scores = data_of_tables(data, other, function, "other")
        scores = [data.y_score, other_scores]
    plans = plans_of_systems(bound, data, *scores)
    if other is not None:
        check_columns(plans[0], given, other, function, "other")
    if not plans[0].call.cutoffs.is_single:
        expected = "one cutoff, since the order of the items depends on it"
        raise invalid("k", function, expected, describe(bound.options["k"]))
    for plan in plans:
        check_data(bound, plan, highest, function)
    rankings = rankings_of_arrays(*(each.data for each in plans))
    n_items = None if n is None else int(n)
    ignore_ties = bool(bound.options.get("ignore_ties", False))
    return choose_items(
        rankings, plans[0], highest, data, scores, n_items, ignore_ties=ignore_ties
    )
