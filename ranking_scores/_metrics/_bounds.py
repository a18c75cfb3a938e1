"""What unknown labels could do to a score: scores that are made of another score.

Each of them is a plan with another function of a block, so they run beside the score itself, on
the same blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid, warn_caller
from ranking_scores._base._validation import WHOLE_LIST, Cutoffs, check_max_grade, describe
from ranking_scores._metrics._completions import (
    Score,
    all_known,
    condense,
    range_of,
    skips_zeros_of,
    with_unknown,
)
from ranking_scores._metrics._evaluate import BlockScores, Plan, RankedBlock
from ranking_scores._metrics._judged import UNJUDGED, judged_beside
from ranking_scores._metrics._named import NamedScore, parameters_of
from ranking_scores._metrics._programs import ProgramScore
from ranking_scores._queries._blocks import Block, CheckedQueries
from ranking_scores._queries._data import CallData
from ranking_scores._queries._relevance import Gain, known_gain
from ranking_scores.exceptions import InvalidParameterError

Floats = NDArray[np.float64]


def plans_beside(plans: Sequence[Plan], max_grade: int) -> dict[str, list[Plan]]:
    """Return for each name in `UNJUDGED` the scores that stand beside some scores."""
    made: dict[str, Callable[[Plan], Plan]] = {
        "judged": judged_beside,
        "low": partial(lowest, max_grade=max_grade),
        "high": partial(highest, max_grade=max_grade),
        "condensed": condensed,
    }
    return {name: [made[name](plan) for plan in plans] for name in UNJUDGED}


def condensed(plan: Plan) -> Plan:
    """Return the score of the items whose labels are known, as if the others were not there."""

    def score_block(*arguments: Any) -> BlockScores:
        *prepared, ranked = arguments
        if plan.gain is not known_gain and ranked.block.ranked.known is not None:
            skips_zeros = skips_zeros_of(plan, ranked)
            name = "condensed", plan.call.depth, skips_zeros
            ranked = ranked.once(name, lambda: condense(ranked, plan.call.depth, skips_zeros))
        return cast(BlockScores, plan.score_block(*prepared, ranked))

    return for_unknown(plan)._replace(score_block=score_block)


def not_relevant(block: Block, gain_of: Gain) -> Block:
    """Return a block in which unknown labels are known to be 0."""
    if gain_of is known_gain or block.ranked.known is None:
        return block
    return all_known(with_unknown(block))


def for_unknown(plan: Plan) -> Plan:
    """Return a score that takes unknown labels for 0, unless it tells them from known ones."""
    need = plan.need._replace(depth=WHOLE_LIST, tells_known=True, accepts_nan=True)
    return plan._replace(need=need)


def lowest(plan: Plan, max_grade: int) -> Plan:
    """Return the score whose value is the lowest that labels from 0 to `max_grade` give."""
    return _end(plan, max_grade, "low")


def highest(plan: Plan, max_grade: int) -> Plan:
    """Return the score whose value is the highest that labels from 0 to `max_grade` give."""
    return _end(plan, max_grade, "high")


def are_exact(plan: Plan, max_grade: int) -> Plan:
    """Return the score that is 1 if labels attain both ends, else 0."""
    return _end(plan, max_grade, "is_exact")


def of_labels(plan: Plan) -> Plan:
    """Return the score that is the number of unknown ranked items, and the highest known label."""

    def score_block(ranked: RankedBlock) -> BlockScores:
        items, judged = ranked.block.ranked, ranked.block.judged
        n_unknown, highest = (
            items.count_in_rows(items.is_unknown),
            judged.place(judged.labels).max(axis=1),
        )
        return BlockScores(np.stack([n_unknown, highest], axis=1, dtype=np.float64))

    cutoffs = Cutoffs(np.array([WHOLE_LIST] * 2), is_single=False)
    call = plan.call._replace(cutoffs=cutoffs)
    return for_unknown(plan)._replace(call=call, score_block=score_block, prepare=None)


def check_grades(
    scores: Sequence[NamedScore], max_grade: int, function: str, parameter: str = "scores"
) -> None:
    """Raise unless the bounds of scores are known for labels from 0 to `max_grade`."""
    for score in scores:
        if isinstance(score.function, ProgramScore):
            expected = "scores of this package, of which the effect of each label is known"
            got = f"{score.name}, a measure of another program"
            raise invalid(parameter, function, expected, got)
        if score.options.get("item_weight") is not None:
            expected = "None, since items of different weights cannot stand for each other"
            got = describe(score.options["item_weight"])
            raise invalid("item_weight", function, expected, got)
        gain_of = score.plan(None, None).gain  # which raises if another option is wrong
        try:
            gain_of(np.arange(max_grade + 1.0))
        except InvalidParameterError as error:
            expected = f"such that {score.name} takes all labels from 0 to it"
            advice = f"Its labels must be {error.expected}."
            raise invalid("max_grade", function, expected, str(max_grade), advice) from error


def warn_of_labels(labels: Floats, max_grade: int, function: str, plans: Sequence[Plan]) -> None:
    """Warn if a known label is above the highest one that unknown labels might have.

    If no score has a higher gain for it, the bounds are the same.
    """
    highest = float(labels.max())
    grades = np.append(np.arange(max_grade + 1.0), highest)
    if highest > max_grade and any(plan.gain(grades).argmax() == max_grade + 1 for plan in plans):
        warn_caller(
            f"{function}: max_grade={max_grade} is below {highest:g}, the highest label. "
            f"Unjudged items could have it, too, unless you know better: pass "
            f"max_grade={math.ceil(highest)}.",
            UserWarning,
        )


def _end(plan: Plan, max_grade: int, end: str) -> Plan:
    """Return the score that is one end of a range."""

    def prepare(queries: CheckedQueries, _: CallData) -> tuple[Score, Floats | None]:
        return plan.score_block_of(queries), queries.weight

    def score_block(prepared: tuple[Score, Floats | None], ranked: RankedBlock) -> BlockScores:
        score, weight = prepared
        name = "range", plan.score_block, max_grade
        found = ranked.once(name, lambda: range_of(plan, score, ranked, max_grade, weight))
        values = np.asarray(getattr(found, end), dtype=np.float64)
        return BlockScores(np.broadcast_to(values, found.low.shape))

    return for_unknown(plan)._replace(score_block=score_block, prepare=prepare)


def with_max_grade(
    scores: Sequence[NamedScore], params: Mapping[str, Any], max_grade: Any, function: str
) -> tuple[dict[str, Any], int]:
    """Return the parameters of scores with the highest grade for those that have it, and it."""
    highest = check_max_grade(max_grade, function)
    others = {name: value for name, value in params.items() if name != "max_grade"}
    if any("max_grade" in parameters_of(score.function) for score in scores):
        others["max_grade"] = highest
    return others, highest
