"""The metrics: tie groups and their profiles, the steps of every score, the scores, their names.

A score is a profile times a weight, summed over ranks; it never deals with ties or layouts itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ranking_scores._metrics._conventions import (
    LEFT_OUT,
    UNLESS_LISTED,
    Convention,
    ConventionBlock,
    ItemKeys,
    aggregate_mean,
    default_convention,
    in_float32,
)
from ranking_scores._metrics._evaluate import (
    ARRAY_PARAMETERS,
    BlockScores,
    Evaluation,
    Plan,
    RankedBlock,
    ScoreCall,
    View,
    as_it_is,
    begin,
    evaluation_of,
    list_some,
    need_of,
    only_zeros,
    run,
    run_on,
    try_plans,
    warn_of_means,
    warn_of_single_items,
    warn_of_undefined,
    with_clusters,
)
from ranking_scores._metrics._judged import UNJUDGED, bpref_score, judged_at_k_score
from ranking_scores._metrics._named import (
    DEFAULT_CUTOFFS,
    NO_ANSWER,
    SCORES,
    TITLES,
    NamedScore,
    after_data,
    bind_score,
    bind_scores,
    check_taken,
    find_score,
    find_scores,
    function_of,
    is_several,
    name_of,
    name_results,
    only_with_answer,
    parameters_of,
    range_of,
    score_of_no_answer,
    split_name,
)
from ranking_scores._metrics._orders import best_order, order_of_items, worst_order
from ranking_scores._metrics._pairs import count_before
from ranking_scores._metrics._position import grouped_auc_score, pairwise_accuracy_score
from ranking_scores._metrics._precision import all_relevant_at_k_score
from ranking_scores._metrics._profiles import RankSum, Summands, rank_items
from ranking_scores._metrics._programs import (
    Program,
    ProgramMeasure,
    ProgramScore,
    convention_of,
    find_convention,
    find_program,
    is_measure,
    is_of_program,
    name_of_measure,
    programs,
)
from ranking_scores._metrics._rank_sums import parts_by_rank, sums_if_first, weights_of
from ranking_scores._metrics._sums_of_scores import (
    OVER,
    BoundScores,
    Evaluations,
    NamedFunction,
    ResultFacts,
    ScoreSums,
    SumsAtCutoff,
    SumsOfClusters,
    are_same_texts,
    differences,
    facts_of_results,
    score_of,
    sums_of_clusters,
    text_of_option,
)
from ranking_scores._metrics._tie_ranges import (
    TieRange,
    has_undefined_orders,
    range_of_block,
    range_of_mean,
)

if TYPE_CHECKING:
    from ranking_scores._metrics._bounds import (
        are_exact,
        check_grades,
        condensed,
        for_unknown,
        highest,
        lowest,
        not_relevant,
        of_labels,
        plans_beside,
        warn_of_labels,
        with_max_grade,
    )
    from ranking_scores._metrics._shared_labels import (
        RankingsOfBlock,
        difference_without_relevant,
        range_of_difference,
        rank_each,
        width_of_labels,
    )
else:  # scores load faster without what only asks about unknown labels

    def __getattr__(name: str) -> Any:
        for module in () if name.startswith("_") else ("_bounds", "_shared_labels"):
            found = vars(import_module(f"{__name__}.{module}"))
            if name in found:
                return globals().setdefault(name, found[name])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
