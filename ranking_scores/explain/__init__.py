"""Why a number is what it is.

`explain_query` tells what each item of a query adds to its score, and what it costs.
`explain_difference` names the conventions by which another program got its number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ranking_scores._base._errors import errors_name, invalid
from ranking_scores._base._validation import describe
from ranking_scores._metrics._evaluate import as_it_is, run
from ranking_scores._metrics._named import METRICS, after_data, bind_score
from ranking_scores._metrics._programs import ProgramScore
from ranking_scores._queries._blocks import spread
from ranking_scores._queries._data import Aspects, is_over_aspects, refuse_aspects, two_scores
from ranking_scores._tables._ranking_data import RankingData, arrays_of
from ranking_scores.explain._difference import DifferenceExplanation, Match, Step, explain_number
from ranking_scores.explain._explaining import (
    ItemNames,
    asks_for_several,
    choose_queries,
    explain,
    names_of_queries,
    read_system,
    rows_of_ids,
    worst_by_default,
)
from ranking_scores.explain._results import ItemMove, ItemPart, QueryExplanation, QueryExplanations

__all__ = [
    "DifferenceExplanation",
    "ItemMove",
    "ItemPart",
    "Match",
    "QueryExplanation",
    "QueryExplanations",
    "Step",
    "explain_difference",
    "explain_query",
]


def __dir__() -> list[str]:
    return __all__


@after_data
def explain_query(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    score: Callable[..., Any] | str = "ndcg@10",
    query: Any = None,
    worst: int | None = None,
    other: ArrayLike | RankingData | None = None,
    query_ids: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
    **params: Any,
) -> QueryExplanation | QueryExplanations:
    """Explain the score of a query: what each item adds to it, and which item costs most.

    Parameters
    ----------
    y_true : array-like, sparse or RankingData
        The labels, in any layout that `score` accepts. Or what `ranking_scores.from_tables`,
        `from_lists` or `from_table` returned, without `y_score`. If its queries have aspects, the
        score of each aspect is explained, the lowest first, and last those that weigh nothing.

    y_score : array-like or sparse, default=None
        The scores that rank the items, in the same layout.

    score : callable or str, default="ndcg@10"
        A score of this package, its name, or a `functools.partial` of a score. The names are
        listed in `ranking_report`. Scores that compare pairs of items, and
        `all_relevant_at_k_score`, cannot be explained.

    query : object, default=None
        The query: its id, if queries have ids, and otherwise the number of its row. Or a list of
        queries. If queries have aspects, a tuple of a query and one of its aspects explains this
        aspect alone. By default, the only query of the data, or the worst ones.

    worst : int, default=None
        The number of queries to explain, of those with the lowest scores, or with the highest if
        lower is better. Queries on which the score is undefined are left out. By default 3, if
        `query` is not given and the data has several queries.

    other : array-like, sparse or RankingData, default=None
        A second ranking of the same queries: `RankingData` if `y_true` is, and otherwise scores in
        the layout of `y_score`.

    query_ids : array-like of shape (n_queries,), default=None
        The ids of the queries, if each row of `y_true` is a query.

    item_ids : array-like, default=None
        The ids of the items, of shape (n_items,), one per column. With `qid`, of shape (n_rows,).
        If the labels are a column of lists, this is a column of lists, too. By default, items are
        called by the ids of `RankingData` or by their class, and otherwise by the number of their
        column, of their row, or of their place in the list.

    **params
        Other parameters of `score`, such as ``k=10``, ``qid=`` or ``gain=``.

    Returns
    -------
    explanation : QueryExplanation or QueryExplanations
        A frozen dataclass with the score of the query, that of its best ranking, and the `items`
        with their parts, those that lose most first. A list of queries and `worst` give a sequence
        of these, as does `RankingData` over aspects: one for each aspect of the query, of which
        the score is the mean. Both print as tables, and have the methods `to_frame` and
        `moves_frame`.

    Raises
    ------
    ValueError, TypeError
        If `score` is not a score of this package, cannot be explained, or refuses the data or
        the parameters. If `k` holds several cutoffs. If `query` is no query of the data, or if
        `other` lacks it. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.ties.tie_report : Reports the effect of ties on a score.
    ranking_scores.significance.changes : Tells what changed between two reports.
    ranking_scores.plotting.RankingDisplay : Plots an explanation.

    Notes
    -----
    A score of a query is a sum over ranks. For one order of the items, the item at rank r adds ::

        DCG, nDCG          w(r) * gain / divisor           w: the discount
        RBP                (1 - p) * p^(r - 1)             if the item is relevant
        precision, recall  1 / divisor                     if it is relevant, and r <= k
        average precision  (relevant items up to r) / r / divisor    if it is relevant
        reciprocal rank    1 / r                           if it is the first relevant item
        ERR                P[the user stops at the item] / r
        ARP                r * gain / (sum of gains)

    The divisor is that of the metric, such as the ideal DCG or the number of relevant items. F1
    and R-precision are as precision, and the hit rate is as the reciprocal rank, with 1 instead of
    1 / r. The `part` of an item is the mean of this over all orders of the items with equal
    scores [1]_. The parts of all items add up to the score of the query.

    The best ranking of the same items has those of the largest gains first, or at the ranks with
    the largest discounts. If only some items were retrieved, it may also have the others, as the
    ideal of nDCG does, and it need not have items that add nothing. Items of equal gain share
    their parts of it equally. So the `lost` of all items add up to `best` minus `value`, and an
    item that is above its best rank may lose less than 0.

    `if_first` is the score of the query with this item above all others. Items with equal scores
    among the others stay tied.

    With `other`, the `change` of all items, including those that did not move, add up to the
    difference of the two scores. An item that one of the rankings lacks has the part 0 in it.

    References
    ----------
    .. [1] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores.explain import explain_query
    >>> from ranking_scores.tables import from_lists
    >>> judged = {"tea": {"a": 3, "b": 2, "c": 1}, "milk": {"d": 1}}
    >>> retrieved = {"tea": {"x": 5, "b": 4, "c": 3, "y": 3, "z": 1}, "milk": {"d": 1}}
    >>> data = from_lists(judged, retrieved)
    >>> explanation = explain_query(data, score="ndcg@3", query="tea")
    >>> explanation
    ndcg@3 of query 'tea' is 0.3175, and 1.0000 at best; 'a' costs most, 0.6300
    <BLANKLINE>
       label    part  best part    lost  if first  rank
    a      3  0.0000     0.6300  0.6300    0.8400  not retrieved
    c      1  0.0525     0.1050  0.0525    0.4200  3 to 4
    x      0  0.0000     0.0000  0.0000    0.3175  1
    b      2  0.2650     0.2650  0.0000    0.4725  2
    y      0  0.0000     0.0000  0.0000    0.2100  3 to 4
    if only 'a' were first: 0.8400
    1 ranked item adds nothing and is left out

    The item ``c`` has the score of ``y``, so its rank is 3 in half of the orders:

    >>> [(part.item, part.first_rank, part.last_rank) for part in explanation.items]
    [('a', None, None), ('c', 3, 4), ('x', 1, 1), ('b', 2, 2), ('y', 3, 4)]
    >>> explanation.best_change.item
    'a'

    Arrays have numbers for queries and items, and ``worst`` finds the queries:

    >>> y_true = [[0, 2, 1, 0], [1, 0, 0, 0]]
    >>> y_score = [[4, 1, 3, 2], [4, 3, 2, 1]]
    >>> [each.query for each in explain_query(y_true, y_score, score="map", worst=1)]
    [0]
    """
    function = "explain_query"
    if isinstance(y_true, RankingData) and y_true.aspects is not None:
        if y_score is not None:
            raise two_scores(y_score, function)
        own = {"other": other, "query_ids": query_ids, "item_ids": item_ids}
        for name, value in own.items():
            if value is not None:
                raise invalid(name, function, "None if y_true is over aspects", describe(value))
        return _explain_aspects(y_true, y_true.aspects, score, query, worst, params)
    if is_over_aspects(y_true):
        expected = "what `from_lists` or `from_tables` returned, if queries have aspects"
        raise invalid("y_true", function, expected, f"shape {np.shape(cast(Any, y_true))}")
    given = y_true
    y_true, y_score, query_ids, _ = arrays_of(y_true, y_score, query_ids, function)
    refuse_aspects(other, "other", function)
    bound = bind_score(score, params, function, "score", "query")
    if isinstance(bound.function, ProgramScore):
        expected = "a score of this package"
        advice = (
            "The parts of other programs' measures are not known. `explain_difference` tells how "
            "one differs from ours."
        )
        raise invalid("score", function, expected, describe(score), advice)
    [reason] = (row.without_parts for row in METRICS if row.function is bound.function)
    if reason:
        expected = "a score that adds up what items gain at their ranks"
        advice = f"{reason}, so no single item has a part of it."
        raise invalid("score", function, expected, describe(score), advice)
    if "average" in bound.options:
        expected = "left out, since each query is explained alone"
        raise invalid("average", function, expected, describe(bound.options["average"]))
    system = read_system(bound, y_true, y_score, query_ids, function)
    is_better = system.rescorer.is_greater_better
    worst = worst_by_default(query, worst, system.evaluation)
    numbers = choose_queries(
        query, worst, system.ids, system.evaluation, function, is_greater_better=is_better
    )
    own_ids = given.item_ids if isinstance(given, RankingData) else None
    names = ItemNames(system.data, item_ids, function, own_ids)
    ids = names_of_queries(system.ids, numbers)
    others: list[Any] = [None] * len(numbers)
    if isinstance(given, RankingData) and other is not None:
        if not isinstance(other, RankingData):
            raise invalid("other", function, "RankingData, as y_true is", describe(other))
        rows = rows_of_ids(given.query_ids, numbers, other.query_ids, function)
        with errors_name("other", function):
            second = read_system(bound, other.y_true, other.y_score, other.query_ids, function)
        other_names = ItemNames(second.data, None, function, other.item_ids)
        others = [(second, other_names, row) for row in rows]
    elif other is not None:
        if isinstance(other, RankingData):
            raise invalid("other", function, "scores, as y_score is", "RankingData")
        with errors_name("other", function):
            second = read_system(bound, y_true, other, query_ids, function)
        others = [(second, names, number) for number in numbers]
    found = tuple(map(partial(explain, system, names), numbers, ids, others))
    if worst is None and not asks_for_several(query, system.ids):
        return found[0]
    n_undefined = 0 if worst is None else int((~system.evaluation.is_defined[:, 0]).sum())
    return QueryExplanations(found, n_undefined)


def _explain_aspects(
    data: RankingData, aspects: Aspects, score: Any, query: Any, worst: Any, params: dict[str, Any]
) -> QueryExplanation | QueryExplanations:
    """Explain the score of each aspect of queries, of which the score is the mean."""
    function = "explain_query"
    if "sample_weight" in params:
        expected = "left out if y_true is over aspects"
        raise invalid("sample_weight", function, expected, describe(params["sample_weight"]))
    bound = bind_score(score, params, function, "score", "query")
    refuse_aspects(data if isinstance(bound.function, ProgramScore) else None, "y_true", function)
    plan = bound.plan(data, None)
    if plan.joins_aspects:
        expected = "a mean over aspects if y_true is over aspects"
        advice = "The hit rate tells which aspects are missing."
        raise invalid("score", function, expected, describe(score), advice)
    [evaluation] = run([(plan, as_it_is)], data=plan.data)
    is_better = plan.greater_is_better
    ids = data.query_ids
    of_queries = ids.tolist()
    is_pair = isinstance(query, tuple) and len(query) == 2
    is_pair = is_pair and not any(each in of_queries for each in (query, query[1]))
    asked = query[0] if is_pair else query
    worst = worst_by_default(query, worst, evaluation)
    numbers = choose_queries(asked, worst, ids, evaluation, function, is_greater_better=is_better)
    arrays = data.in_rows_of_aspects(aspects, np.array(numbers, dtype=np.intp))
    options = {"query": range(len(arrays.query_ids)), "item_ids": data.item_ids, **bound.options}
    found = explain_query(arrays.y_true, arrays.y_score, score=bound.function, **options)
    assert isinstance(found, QueryExplanations)
    sign = 1 if is_better else -1
    named = [
        replace(each, query=name, has_query_id=True)
        for name, each in zip(arrays.query_ids, found, strict=True)
    ]
    if is_pair:
        pair = next((each for each in named if each.query == query), None)
        if pair is None:
            expected = "a query, or a tuple of a query and one of its aspects"
            raise invalid("query", function, expected, describe(query))
        return pair
    place = {of_queries[number]: at for at, number in enumerate(numbers)}
    weights = np.ones(len(named))
    if aspects.weight is not None:
        weights = aspects.weight[spread(aspects.first[numbers], aspects.n_aspects[numbers])]
    pairs = sorted(
        zip(named, weights.tolist(), strict=True),
        key=lambda each: (place[each[0].query[0]], each[1] == 0, sign * each[0].value),
    )
    n_undefined = 0 if worst is None else int((~evaluation.is_defined[:, 0]).sum())
    return QueryExplanations(
        tuple(each for each, _ in pairs),
        n_undefined,
        over_aspects=True,
        aspect_weight=None if aspects.weight is None else tuple(each for _, each in pairs),
    )


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
        The number of the other program. A text, such as ``"0.2076"`` or ``"20.76 %"``, has as many
        digits as were printed. An array has the number of each query, NaN or None for queries that
        the program left out. A dict, or a pandas Series with ids as its index, has them by the ids
        of the queries. The numbers of the queries tell much more than their mean.

    score : callable or str, default="ndcg@10"
        The score of this package that comes nearest, its name, or a `functools.partial` of it. All
        scores work, except for those that compare pairs, `all_relevant_at_k_score`,
        `alpha_ndcg_score`, `judged_at_k_score` and `average_relevant_position`. A measure of
        another program, such as "ranx:ndcg@10", works too.

    digits : int, default=None
        The number of digits after the point that are known. None takes those of a text. A float is
        taken as exact. If no convention gives it, and it has up to 6 digits, it is taken as
        rounded.

    **params
        Other parameters of `score`, such as ``k=10`` or ``gain="exponential"``. Weights, functions
        and tables of gains are refused, since no convention has them.

    Returns
    -------
    explanation : DifferenceExplanation
        It prints as text. Its attribute `matches` has the conventions that give the number: those
        of programs first, then those with the fewest differences. If there is none, `nearest` has
        the convention that comes nearest. `possible` has the programs that can give the number,
        since they do not define their order of ties.

    Raises
    ------
    ValueError, TypeError
        If `score` is not a score whose conventions are searched, if it refuses the data or the
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
    the next rank, an ideal without a cutoff, of the retrieved items or of k relevant items, a
    cutoff that is one too low or too high, no cutoff at all, another threshold of relevance,
    another value of `beta`, `persistence` or `max_grade`, a mean over queries with a hit, repeated
    items that count twice, labels in the place of scores, values rounded before the mean is taken.
    Percentages are recognised by their size.

    Conventions that give each query the same value cannot be told apart by these data. They are
    one match. Other matches come with a query on which they differ: the number of that query
    decides.

    If neither the score here nor a program with its metric gives the number, it may be another
    metric's. `other_metrics` names the scores here and the measures of programs that give it.

    Few digits match by chance. `chance` is the share of all possible numbers of as many digits,
    within the range of the conventions, that some convention gives.

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
    return explain_number(plan.data, bound, value, digits, function)
