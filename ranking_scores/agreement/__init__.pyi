# Written by doc/shared_texts.py: the types of the module of this name.
import numpy as np
from collections.abc import Sequence
from numpy.typing import ArrayLike
from numpy.typing import NDArray
from ranking_scores._agreement._lists import list_agreements as list_agreements
from ranking_scores._agreement._measures import DEFAULT_MEASURES
from ranking_scores._agreement._measures import find_measure as find_measure
from ranking_scores._agreement._measures import is_agreement as is_agreement
from ranking_scores._agreement._measures import range_of_agreement as range_of_agreement
from ranking_scores._agreement._pairing import PairedRankings as PairedRankings
from ranking_scores._agreement._pairing import Places as Places
from ranking_scores.agreement._agreement_reports import AgreementReport as AgreementReport
from ranking_scores.agreement._agreement_reports import QueryAgreement as QueryAgreement
from ranking_scores.agreement._judges import JudgeAgreement as JudgeAgreement
from ranking_scores.agreement._judges import judge_agreement as judge_agreement
from ranking_scores.agreement._two_judgments import LabelAgreement as LabelAgreement
from ranking_scores.agreement._two_judgments import Swap as Swap
from ranking_scores.agreement._two_judgments import SystemAgreement as SystemAgreement
from ranking_scores.agreement._two_judgments import system_agreement as system_agreement
from ranking_scores.significance._changes_results import MovedItem as MovedItem
from typing import Any
from typing import Literal
from typing import overload

__all__ = [
    "AgreementReport",
    "JudgeAgreement",
    "LabelAgreement",
    "MovedItem",
    "PairedRankings",
    "Places",
    "QueryAgreement",
    "Swap",
    "SystemAgreement",
    "agreement_report",
    "average_overlap",
    "judge_agreement",
    "kendall_tau",
    "overlap_at_k",
    "pair_rankings",
    "rank_biased_overlap",
    "system_agreement",
    "tau_ap",
]

def __dir__() -> list[str]: ...
def agreement_report(
    a: Any, b: Any = None, *, scores: str | Sequence[str] = DEFAULT_MEASURES, by: Any = None,
    clusters: Any = None, sample_weight: Any = None, qid: ArrayLike | None = None,
    ids: bool | None = None, n: int = 10,
) -> AgreementReport: ...
@overload
def average_overlap(
    a: Any, b: Any = None, k: int | np.integer[Any] | None = None, *, qid: ArrayLike | None = None,
    ids: bool | None = None, sample_weight: Any = None, replace_undefined_by: float = np.nan,
    average: Literal["samples"] = "samples",
) -> float: ...
@overload
def average_overlap(
    a: Any, b: Any = None, *, k: Sequence[int | None] | NDArray[np.integer[Any]],
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def average_overlap(
    a: Any, b: Any = None, k: int | np.integer[Any] | None = None, *, qid: ArrayLike | None = None,
    ids: bool | None = None, sample_weight: Any = None, replace_undefined_by: float = np.nan,
    average: None,
) -> NDArray[np.float64]: ...
@overload
def kendall_tau(
    a: Any, b: Any = None, *, ties: Literal["mean", "corrected"] = "mean",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def kendall_tau(
    a: Any, b: Any = None, *, ties: Literal["mean", "corrected"] = "mean",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: None,
) -> NDArray[np.float64]: ...
@overload
def overlap_at_k(
    a: Any, b: Any = None, k: int | np.integer[Any] | None = 10, *,
    denominator: Literal["longer", "shorter", "k", "union"] = "longer",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def overlap_at_k(
    a: Any, b: Any = None, *, k: Sequence[int | None] | NDArray[np.integer[Any]],
    denominator: Literal["longer", "shorter", "k", "union"] = "longer",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def overlap_at_k(
    a: Any, b: Any = None, k: int | np.integer[Any] | None = 10, *,
    denominator: Literal["longer", "shorter", "k", "union"] = "longer",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: None,
) -> NDArray[np.float64]: ...
def pair_rankings(
    a: Any, b: Any = None, *, query: Any = None, item: Any = None, score: Any = None,
    rank: Any = None, qid: ArrayLike | None = None, ids: bool | None = None,
    duplicates: Literal["error", "best", "hold"] = "error",
) -> PairedRankings: ...
@overload
def rank_biased_overlap(
    a: Any, b: Any = None, p: float = 0.9, *, ties: Literal["mean", "equal", "corrected"] = "mean",
    tail: Literal["extrapolated", "min", "max", "residual"] = "extrapolated",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def rank_biased_overlap(
    a: Any, b: Any = None, p: float = 0.9, *, ties: Literal["mean", "equal", "corrected"] = "mean",
    tail: Literal["extrapolated", "min", "max", "residual"] = "extrapolated",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: None,
) -> NDArray[np.float64]: ...
@overload
def tau_ap(
    a: Any, b: Any = None, *, ties: Literal["mean", "corrected"] = "mean",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def tau_ap(
    a: Any, b: Any = None, *, ties: Literal["mean", "corrected"] = "mean",
    qid: ArrayLike | None = None, ids: bool | None = None, sample_weight: Any = None,
    replace_undefined_by: float = np.nan, average: None,
) -> NDArray[np.float64]: ...
