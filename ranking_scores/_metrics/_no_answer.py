"""What a report says about queries without an answer: those that have no relevant item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ranking_scores._metrics._evaluate import BlockScores, Evaluation, Plan, RankedBlock, begin
from ranking_scores._metrics._named import NO_ANSWER, NamedScore
from ranking_scores._queries import Data, Need, check_relevance


def no_answer(
    y_true: Any, y_score: Any = None, *, relevance_threshold: float | None = None
) -> Plan:
    """Return the plan of a score of queries without a relevant item: whether the list is empty.

    It is undefined for all other queries. The data of the plan is that of the report.
    """
    call = begin(NO_ANSWER, None, "samples")._replace(depth=1)
    relevance = check_relevance(relevance_threshold, call.function)

    def is_empty(ranked: RankedBlock) -> BlockScores:
        relevant = ranked.relevance(relevance, call.depth, ignore_ties=False)
        has_none = ranked.block.ranked.lengths[:, np.newaxis] == 0
        return BlockScores(np.where(relevant.n_relevant > 0, np.nan, has_none))

    data = Data(call.function, y_true, y_score)
    need = Need(call.depth, in_columns=relevance.includes_zero)
    return Plan(call, data, need, is_empty, relevance)


def score_of_no_answer(relevance_threshold: float | None) -> NamedScore:
    """Return this score, with the lowest relevant label of the report."""
    return NamedScore(NO_ANSWER, no_answer, {"relevance_threshold": relevance_threshold})


def only_with_answer(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Return evaluations without the queries that have no answer, which only the last one counts.

    The last one is that of `no_answer`.
    """
    *scores, last = evaluations
    has_answer = ~last.is_defined
    return [
        *(
            each._replace(
                values=np.where(has_answer, each.values, np.nan),
                is_defined=each.is_defined & has_answer,
            )
            for each in scores
        ),
        last,
    ]
