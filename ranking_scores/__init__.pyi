# Written by doc/shared_texts.py: the types of the module of this name.
import numpy as np
from collections.abc import Callable
from collections.abc import Sequence
from numpy.typing import ArrayLike
from numpy.typing import NDArray
from ranking_scores import agreement as agreement
from ranking_scores import compat as compat
from ranking_scores import conventions as conventions
from ranking_scores import exceptions as exceptions
from ranking_scores import explain as explain
from ranking_scores import gates as gates
from ranking_scores import plotting as plotting
from ranking_scores import rankers as rankers
from ranking_scores import report as report
from ranking_scores import scale as scale
from ranking_scores import scorers as scorers
from ranking_scores import significance as significance
from ranking_scores import streaming as streaming
from ranking_scores import tables as tables
from ranking_scores import testing as testing
from ranking_scores import ties as ties
from ranking_scores import trec as trec
from ranking_scores import unanswerable as unanswerable
from ranking_scores import unjudged as unjudged
from ranking_scores._queries._query_ids import qid_from_sizes as qid_from_sizes
from ranking_scores._queries._query_ids import sizes_from_qid as sizes_from_qid
from ranking_scores._tables._label_weights import inverse_propensity as inverse_propensity
from ranking_scores._tables._label_weights import weighted_labels as weighted_labels
from ranking_scores._tables._retrieved_ids import retrieved_from_ids as retrieved_from_ids
from ranking_scores.agreement import agreement_report as agreement_report
from ranking_scores.conventions import like as like
from ranking_scores.explain import explain_query as explain_query
from ranking_scores.gates import check as check
from ranking_scores.report import RankingReport as RankingReport
from ranking_scores.report import ranking_report as ranking_report
from ranking_scores.report import read_report as read_report
from ranking_scores.scorers import make_ranking_scorer as make_ranking_scorer
from ranking_scores.significance import compare as compare
from ranking_scores.significance import compare_all as compare_all
from ranking_scores.significance import confidence_interval as confidence_interval
from ranking_scores.streaming import StreamingScore as StreamingScore
from ranking_scores.tables import RankingData
from ranking_scores.tables import from_exact_search as from_exact_search
from ranking_scores.tables import from_lists as from_lists
from ranking_scores.tables import from_table as from_table
from ranking_scores.tables import from_tables as from_tables
from ranking_scores.ties import tie_report as tie_report
from typing import Any
from typing import Literal
from typing import Protocol
from typing import overload

__all__ = [
    "RankingReport",
    "StreamingScore",
    "agreement_report",
    "all_relevant_at_k_score",
    "alpha_ndcg_score",
    "average_relevant_position",
    "bpref_score",
    "check",
    "compare",
    "compare_all",
    "confidence_interval",
    "dcg_score",
    "expected_reciprocal_rank_score",
    "explain_query",
    "f1_at_k_score",
    "from_exact_search",
    "from_lists",
    "from_table",
    "from_tables",
    "grouped_auc_score",
    "hit_rate_score",
    "inverse_propensity",
    "judged_at_k_score",
    "like",
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
    "read_report",
    "recall_at_k_score",
    "retrieved_from_ids",
    "sizes_from_qid",
    "tie_report",
    "weighted_labels",
]

def __dir__() -> list[str]: ...

class _SupportsArray(Protocol):
    def __array__(self) -> NDArray[Any]: ...
@overload
def all_relevant_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *, k: int | np.integer[Any],
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def all_relevant_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int] | NDArray[np.integer[Any]], sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def all_relevant_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *, k: int | np.integer[Any],
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def alpha_ndcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, alpha: float = 0.5,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def alpha_ndcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]], alpha: float = 0.5,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def alpha_ndcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, alpha: float = 0.5,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def average_relevant_position(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def average_relevant_position(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan, average: None,
) -> NDArray[np.float64]: ...
@overload
def bpref_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def bpref_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def dcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, log_base: float = 2,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    gain: Literal["linear", "exponential"] | Sequence[float] | _SupportsArray | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: Literal["log"] | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    average: Literal["samples"] = "samples",
) -> float: ...
@overload
def dcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]], log_base: float = 2,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    gain: Literal["linear", "exponential"] | Sequence[float] | _SupportsArray | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: Literal["log"] | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def dcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, log_base: float = 2,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    gain: Literal["linear", "exponential"] | Sequence[float] | _SupportsArray | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: Literal["log"] | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    average: None,
) -> NDArray[np.float64]: ...
@overload
def expected_reciprocal_rank_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, max_grade: int, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def expected_reciprocal_rank_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]], max_grade: int,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def expected_reciprocal_rank_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, max_grade: int, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def f1_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None, beta: float = 1.0, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def f1_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]], beta: float = 1.0,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def f1_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None, beta: float = 1.0, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def grouped_auc_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def grouped_auc_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan, average: None,
) -> NDArray[np.float64]: ...
@overload
def hit_rate_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *, k: int | np.integer[Any],
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def hit_rate_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int] | NDArray[np.integer[Any]], sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def hit_rate_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *, k: int | np.integer[Any],
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def judged_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None, denominator: Literal["k", "retrieved"] = "k",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def judged_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]],
    denominator: Literal["k", "retrieved"] = "k", sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, where: ArrayLike | None = None, qid: ArrayLike | None = None,
    labels: ArrayLike | None = None, replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def judged_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None, denominator: Literal["k", "retrieved"] = "k",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def mean_average_precision_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None,
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def mean_average_precision_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]],
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def mean_average_precision_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None,
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def mean_reciprocal_rank_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def mean_reciprocal_rank_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]], sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def mean_reciprocal_rank_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def ndcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: Literal["linear", "exponential"] | Sequence[float] | _SupportsArray | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: Literal["log"] | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def ndcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]], sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: Literal["linear", "exponential"] | Sequence[float] | _SupportsArray | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: Literal["log"] | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def ndcg_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: Literal["linear", "exponential"] | Sequence[float] | _SupportsArray | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: Literal["log"] | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def pairwise_accuracy_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def pairwise_accuracy_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan, average: None,
) -> NDArray[np.float64]: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None, denominator: Literal["k", "retrieved"] = "k",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]],
    denominator: Literal["k", "retrieved"] = "k", sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None, denominator: Literal["k", "retrieved"] = "k",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def r_precision_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def r_precision_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def rank_biased_precision_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, persistence: float = 0.8,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def rank_biased_precision_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]], persistence: float = 0.8,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def rank_biased_precision_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None, persistence: float = 0.8,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None,
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: Sequence[int | None] | NDArray[np.integer[Any]],
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike | RankingData, y_score: ArrayLike | None = None, *,
    k: int | np.integer[Any] | None = None,
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
