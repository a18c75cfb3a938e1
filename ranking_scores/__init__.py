"""Ranking metrics, exact under ties, for arrays and for scikit-learn's model selection."""

from ranking_scores._cumulative_gain import dcg_score, ndcg_score
from ranking_scores._first_hit import hit_rate_score
from ranking_scores._position import average_relevant_position
from ranking_scores._retrieved import retrieved_from_ids
from ranking_scores.scorers import make_ranking_scorer
from ranking_scores.streaming import StreamingScore

__version__ = "0.1.0"
__all__ = [
    "StreamingScore",
    "average_relevant_position",
    "dcg_score",
    "hit_rate_score",
    "make_ranking_scorer",
    "ndcg_score",
    "retrieved_from_ids",
]
