"""Ranking metrics, exact under ties, for arrays and for scikit-learn's model selection."""

import importlib as _importlib
import os as _os
import signal as _signal
import sys as _sys
import typing as _typing

_program = _os.path.basename("".join(_sys.argv[:1]))
_is_module = _program == "-m" and f"-m{__name__}" in "".join(_sys.orig_argv)
_is_command = _is_module or _program in ("ranking-scores", "ranking-scores.exe")
_is_command &= _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
if _is_command:  # Ctrl-C ends it quietly. NumPy would make an ImportError of a KeyboardInterrupt.
    _signal.signal(_signal.SIGINT, lambda *_: _os._exit(130))
try:
    from ranking_scores._base._version import __version__ as __version__
    from ranking_scores._metrics._cumulative_gain import alpha_ndcg_score, dcg_score, ndcg_score
    from ranking_scores._metrics._first_hit import (
        expected_reciprocal_rank_score,
        hit_rate_score,
        mean_reciprocal_rank_score,
    )
    from ranking_scores._metrics._judged import bpref_score, judged_at_k_score
    from ranking_scores._metrics._position import (
        average_relevant_position,
        grouped_auc_score,
        pairwise_accuracy_score,
        rank_biased_precision_score,
    )
    from ranking_scores._metrics._precision import (
        all_relevant_at_k_score,
        f1_at_k_score,
        mean_average_precision_score,
        precision_at_k_score,
        r_precision_score,
        recall_at_k_score,
    )
    from ranking_scores._queries._query_ids import qid_from_sizes, sizes_from_qid
finally:
    if _is_command:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)

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
_FIRST_USED = {
    "RankingReport": "report",
    "StreamingScore": "streaming",
    "agreement_report": "agreement",
    "check": "gates",
    "compare": "significance",
    "compare_all": "significance",
    "confidence_interval": "significance",
    "explain_query": "explain",
    "from_exact_search": "tables",
    "from_lists": "tables",
    "from_table": "tables",
    "from_tables": "tables",
    "inverse_propensity": "_tables._label_weights",
    "like": "conventions",
    "make_ranking_scorer": "scorers",
    "ranking_report": "report",
    "read_report": "report",
    "retrieved_from_ids": "_tables._retrieved_ids",
    "tie_report": "ties",
    "weighted_labels": "_tables._label_weights",
}
"""The modules of names that are imported on first use, so that the scores load fast."""


def _submodules() -> list[str]:
    """Return the public modules, which are imported on first use."""
    from pkgutil import iter_modules

    return [name for _, name, _ in iter_modules(__path__) if not name.startswith("_")]


def __dir__() -> list[str]:
    return sorted(__all__ + _submodules())


def __getattr__(name: str) -> _typing.Any:
    if name in _FIRST_USED:
        module = _importlib.import_module(f"{__name__}.{_FIRST_USED[name]}")
        return globals().setdefault(name, getattr(module, name))
    if name in _submodules():
        return _importlib.import_module(f"{__name__}.{name}")
    from importlib.util import find_spec

    from ranking_scores._metrics._named import name_of_function

    error, own = f"module {__name__!r} has no attribute {name!r}", name_of_function(name)
    for public in () if own or name.startswith("_") else _submodules():
        spec: _typing.Any = find_spec(f"{__name__}.{public}")
        source = spec.loader.get_source(spec.name)  # it is read, since an import takes long
        if f'"{name}"' in source.partition("__all__ = [")[2].partition("]")[0]:
            own = f"{public}.{name}"
    if own:  # else Python looks for a similar name
        raise AttributeError(f"{error}. Did you mean {own!r}?", name=name)
    raise AttributeError(error, name=name, obj=_sys.modules[__name__])
