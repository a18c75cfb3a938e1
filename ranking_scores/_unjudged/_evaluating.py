"""The bounds of a score, and of the difference of a score of two systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import errors_name
from ranking_scores._metrics import (
    Evaluation,
    NamedScore,
    Plan,
    View,
    are_exact,
    as_it_is,
    bind_score,
    check_grades,
    condensed,
    difference_without_relevant,
    find_score,
    for_unknown,
    highest,
    lowest,
    need_of,
    not_relevant,
    of_labels,
    range_of_difference,
    run_on,
    warn_of_labels,
    with_max_grade,
)
from ranking_scores._queries import check_queries
from ranking_scores._unjudged._pairs import of_arrays
from ranking_scores._unjudged._results import ScoreBounds, scope_of
from ranking_scores.ties import check_falls

Floats = NDArray[np.float64]


def bind(
    score: Any, params: dict[str, Any], max_grade: Any, function: str
) -> tuple[NamedScore, int]:
    """Return a score with its parameters, and the highest grade, after checking both."""
    found = find_score(score, function)
    params, highest_grade = with_max_grade([found], params, max_grade, function)
    if "max_grade" in found.options:
        params.pop("max_grade")
    bound = bind_score(score, params, function)
    check_grades([bound], highest_grade, function, "score")
    return bound, highest_grade


def check_data(bound: NamedScore, plan: Plan, max_grade: int, function: str) -> None:
    """Raise if a score refuses its data."""
    tasks: list[tuple[Plan, View]] = [(for_unknown(plan), as_it_is), (of_labels(plan), as_it_is)]
    queries = check_queries(plan.data, need_of(tasks))
    _check_falls(bound, plan, queries.longest, function)
    warn_of_labels(run_on(queries, tasks)[-1].values[:, 1], max_grade, function, [plan])


def bounds_of(bound: NamedScore, plan: Plan, max_grade: int, function: str) -> ScoreBounds:
    """Return the bounds of a score on its data."""
    tasks: list[tuple[Plan, View]] = [
        (for_unknown(plan), not_relevant),
        (condensed(plan), as_it_is),
        (lowest(plan, max_grade), as_it_is),
        (highest(plan, max_grade), as_it_is),
        (are_exact(plan, max_grade), as_it_is),
        (of_labels(plan), as_it_is),
    ]
    queries = check_queries(plan.data, need_of(tasks))
    _check_falls(bound, plan, queries.longest, function)
    evaluations = run_on(queries, tasks)
    [n_unknown, highest_label] = evaluations.pop().values.T
    warn_of_labels(highest_label, max_grade, function, [plan])
    is_exact = evaluations.pop().values[:, 0] == 1
    return _bounds(evaluations, is_exact, n_unknown, max_grade, 1)


def differences_of(
    bound: NamedScore, plans: Sequence[Plan], max_grade: int, function: str
) -> ScoreBounds:
    """Return the bounds of the difference of two systems: the second minus the first."""
    one, one_without, labels = _usual(bound, plans[0], function)
    with errors_name("other", function):
        _, other_without, _ = _usual(bound, plans[1], function)
    warn_of_labels(labels.values[:, 1], max_grade, function, plans)
    first, second = (each.data for each in plans)
    plan, rankings = for_unknown(plans[0]), of_arrays(second, first)
    queries = check_queries(rankings.data, plan.need)
    score = plan.score_block_of(queries)
    as_usual, low, high = np.empty((3, *one.values.shape))
    is_exact = np.ones(queries.n_queries, dtype=bool)
    n_unknown = np.zeros(queries.n_queries)
    with np.errstate(under="ignore"):
        for block, systems in rankings.blocks(queries, plan):
            ends = range_of_difference(plan, score, systems, max_grade)
            low[block.queries], high[block.queries] = ends.low, ends.high
            as_usual[block.queries] = difference_without_relevant(plan, score, systems)
            is_exact[block.queries] = ends.is_exact[:, 0]
            n_unknown[block.queries] = systems.n_unknown
    without = other_without.values - one_without.values
    evaluations = [
        one._replace(values=values, is_defined=~np.isnan(values))
        for values in (as_usual, without, low, high)
    ]
    return _bounds(evaluations, is_exact, n_unknown, max_grade, 2)


def _usual(bound: NamedScore, plan: Plan, function: str) -> list[Evaluation]:
    """Return a score with unknown labels as 0, that of condensed lists, and facts about labels."""
    tasks: list[tuple[Plan, View]] = [
        (for_unknown(plan), not_relevant),
        (condensed(plan), as_it_is),
        (of_labels(plan), as_it_is),
    ]
    queries = check_queries(plan.data, need_of(tasks))
    _check_falls(bound, plan, queries.longest, function)
    return run_on(queries, tasks)


def _bounds(
    evaluations: list[Evaluation],
    is_exact: NDArray[np.bool_],
    n_unknown: Floats,
    max_grade: int,
    n_systems: int,
) -> ScoreBounds:
    """Return bounds in the form that the caller asked for.

    The evaluations are those of unknown labels as 0, of condensed lists, and of both ends.
    """
    as_usual, *others = evaluations
    n_unjudged, has_queries = n_unknown.astype(np.intp), as_usual.average is None
    not_relevant = as_usual.result()
    without, low, high = (each.values_for_caller() for each in others)
    return ScoreBounds(
        "other - first" if n_systems == 2 else "score",
        low,
        high,
        not_relevant,
        without,
        is_exact if has_queries else bool(is_exact.all()),
        n_unjudged if has_queries else int(n_unjudged.sum()),
        scope_of(int(n_unjudged.sum()), max_grade, n_systems),
    )


def _check_falls(bound: NamedScore, plan: Plan, longest: int, function: str) -> None:
    """Raise if an item of a larger gain may be worth less at a better rank."""
    discount = bound.options.get("discount")
    check_falls(discount, plan.call.cutoffs.ranks, longest, function)
