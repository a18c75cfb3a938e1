"""Why a number is what it is.

`explain_difference` names the conventions of another program by a number that it computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from ranking_scores._conventions import DifferenceExplanation, Match, Step, explain
from ranking_scores._metrics import after_data, bind_score
from ranking_scores._tables import RankingData, arrays_of

__all__ = ["DifferenceExplanation", "Match", "Step", "explain_difference"]


def __dir__() -> list[str]:
    return __all__


@after_data
def explain_difference(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    value: Any,
    score: Callable[..., Any] | str = "ndcg@10",
    digits: int | None = None,
    **params: Any,
) -> DifferenceExplanation:
    """Name the conventions by which another program got its number from the same data.

    The number of another program differs because of its order of ties, its gain, its ideal, its
    divisor, or the queries that it leaves out. This function tries all combinations of these, the
    conventions of all known programs, and the usual mistakes. It tells which of them give the
    number, and what each difference does to the mean.

    Parameters
    ----------
    y_true : array-like, sparse or RankingData
        The labels, in any layout that `score` accepts. Or the result of
        `ranking_scores.from_tables` or its like, without `y_score`. These know the ids of the
        items and the order of the predictions, by which many programs break ties. Keep the queries
        without judgments or predictions in them, with ``queries="all"``, if the other program may
        count them.

    y_score : array-like or sparse, default=None
        The scores that rank the items, in the same layout.

    value : float, str, array-like or dict
        The number of the other program. A text, such as ``"0.2076"``, has as many digits as were
        printed. An array has the number of each query, NaN for queries that the program left out,
        and a dict has them by the ids of the queries. The numbers of the queries tell much more
        than their mean.

    score : callable or str, default="ndcg@10"
        The score of this package that comes nearest, its name, or a `functools.partial` of it. All
        scores will do, except for those that compare pairs and `average_relevant_position`.

    digits : int, default=None
        The number of digits after the point that are known. None takes those of a text. A float of
        up to 6 digits counts as rounded, and one of more digits as exact.

    **params
        Other parameters of `score`, such as ``k=5``, ``gain="exponential"``, ``qid=`` or
        ``where=``. The differences are counted from the score with these.

    Returns
    -------
    explanation : DifferenceExplanation
        It prints as text. Its attribute `matches` has the conventions that give the number: those
        of programs first, then those with the fewest differences. If there is none, `nearest` has
        the convention that comes nearest.

    Raises
    ------
    ValueError, TypeError
        If `score` is not a score whose conventions are known, if it refuses the data or the
        parameters, or if `value` is not a number, or not one for each query. The error is of both
        types, as in scikit-learn.

    See Also
    --------
    ranking_scores.conventions.like : Computes the numbers of another program.

    Notes
    -----
    These are tried in all combinations that make a difference on the data: orders of ties, scores
    compared in float32, whether items that were not retrieved are known, gains, divisors, and what
    counts for queries without relevant items, predictions or judgments. A mistake is tried with
    each of these combinations, but only one mistake at a time: a discount of ``log2(rank)`` or of
    the next rank, an ideal without a cutoff, of the retrieved items or of k relevant items, no
    cutoff at all, another threshold of relevance, a mean over queries with a hit, repeated items
    that count twice, labels in the place of scores, values rounded before the mean is taken.
    Percentages are recognised by their size.

    Conventions that give each query the same value cannot be told apart by these data. They are
    one match. Other matches come with a query on which they differ: the number of that query
    decides.

    Few digits match by chance. `chance` is the share of all numbers of as many digits, within the
    range of the conventions, that some convention gives.

    Examples
    --------
    Another program reports 0.7602 for the nDCG of a query whose three documents tie:

    >>> from ranking_scores import from_tables
    >>> from ranking_scores.explain import explain_difference
    >>> judgments = {"query": ["q1", "q1"], "item": ["d1", "d3"], "label": [1, 2]}
    >>> predictions = {
    ...     "query": ["q1", "q1", "q1"], "item": ["d1", "d2", "d3"], "score": [.5, .5, .5]
    ... }
    >>> names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    >>> data = from_tables(judgments, predictions, **names)
    >>> found = explain_difference(data, value="0.7602", score="ndcg@10")
    >>> found.matches[0].steps[0].words
    'ties in the order of the predictions'
    >>> "ranx:ndcg@10" in found.matches[0].programs
    True
    """
    function = "explain_difference"
    arrays = arrays_of(y_true, y_score, None, function)
    bound = bind_score(score, params, function)
    plan = bound.plan(arrays.y_true, arrays.y_score, lambda _: function, *arrays[2:])
    return explain(plan.data, bound, value, digits, function)
