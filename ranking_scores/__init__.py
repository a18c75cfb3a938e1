"""Ranking metrics, exact under ties, for arrays and for scikit-learn's model selection."""

import importlib as _importlib
import typing as _typing

from ranking_scores import _signatures
from ranking_scores._cumulative_gain import dcg_score, ndcg_score
from ranking_scores._first_hit import (
    expected_reciprocal_rank_score,
    hit_rate_score,
    mean_reciprocal_rank_score,
)
from ranking_scores._position import (
    average_relevant_position,
    grouped_auc_score,
    pairwise_accuracy_score,
    rank_biased_precision_score,
)
from ranking_scores._precision import (
    f1_at_k_score,
    mean_average_precision_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from ranking_scores._query_ids import qid_from_sizes, sizes_from_qid
from ranking_scores._retrieved import retrieved_from_ids
from ranking_scores.report import RankingReport, ranking_report
from ranking_scores.scorers import make_ranking_scorer
from ranking_scores.streaming import StreamingScore

__version__ = "0.1.0"
__all__ = [
    "RankingReport",
    "StreamingScore",
    "average_relevant_position",
    "dcg_score",
    "expected_reciprocal_rank_score",
    "f1_at_k_score",
    "grouped_auc_score",
    "hit_rate_score",
    "make_ranking_scorer",
    "mean_average_precision_score",
    "mean_reciprocal_rank_score",
    "ndcg_score",
    "pairwise_accuracy_score",
    "precision_at_k_score",
    "qid_from_sizes",
    "r_precision_score",
    "rank_biased_precision_score",
    "ranking_report",
    "recall_at_k_score",
    "retrieved_from_ids",
    "sizes_from_qid",
]
_signatures.hide_types(globals())
_SUBMODULES = [
    "exceptions",
    "plotting",
    "rankers",
    "report",
    "scale",
    "scorers",
    "significance",
    "streaming",
    "tables",
    "ties",
    "trec",
]


def __dir__() -> list[str]:
    return sorted(__all__ + _SUBMODULES)


if _typing.TYPE_CHECKING:  # type checkers know a submodule by its import
    from ranking_scores import exceptions as exceptions
    from ranking_scores import plotting as plotting
    from ranking_scores import rankers as rankers
    from ranking_scores import report as report
    from ranking_scores import scale as scale
    from ranking_scores import scorers as scorers
    from ranking_scores import significance as significance
    from ranking_scores import streaming as streaming
    from ranking_scores import tables as tables
    from ranking_scores import ties as ties
    from ranking_scores import trec as trec
else:  # type checkers that saw this would accept any name

    def __getattr__(name: str) -> _typing.Any:
        if name in _SUBMODULES:  # imported on first use
            return _importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
