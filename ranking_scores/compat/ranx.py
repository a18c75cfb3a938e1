"""ranx's two functions over dicts, frames and files, with the results of this package.

Its names of metrics are read as ranx writes them. Scores are exact under ties, where ranx takes
the earlier document of a run first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ranking_scores._base._validation import advises_on_keywords
from ranking_scores._metrics._named import SCORES
from ranking_scores.report import RankingReport, ranking_report
from ranking_scores.significance import Comparisons, compare_all
from ranking_scores.tables import RankingData, from_lists, from_tables, read_json
from ranking_scores.trec import read_qrels, read_run

__all__ = ["compare", "evaluate"]


def __dir__() -> list[str]:
    return __all__


@advises_on_keywords
def evaluate(qrels: Any, run: Any, metrics: str | Iterable[str]) -> RankingReport:
    """Return a report of a run, as ranx's function of this name is called.

    Parameters
    ----------
    qrels : dict of dicts, table, path, or Qrels of ranx
        The grade of each judged document of each query: a dict by query of dicts by document, a
        table with known names of columns, as in `ranking_scores.tables.from_tables`, or a file of
        TREC or JSON, whose name then ends with ".json".

    run : dict of dicts, table, path, or Run of ranx
        The score of each retrieved document of each query, in the same forms. Both are dicts or
        files of JSON, or neither is.

    metrics : str or iterable of str
        The names of metrics, such as "ndcg@10" and "mrr". Names without a cutoff are about the
        whole list. Names that only ranx has, such as "ndcg_burges@10", "hits" and "map-l2", are
        its measures with its order of ties, as in `ranking_scores.conventions.like`.

    Returns
    -------
    report : RankingReport
        The report of the metrics. ``dict(report)`` has the means.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.ranking_report : Has all options of reports.

    Examples
    --------
    >>> from ranking_scores.compat.ranx import evaluate
    >>> dict(evaluate({"tea": {"d1": 1}}, {"tea": {"d1": 0.5, "d2": 0.5}}, ["mrr", "hits@1"]))
    {'mrr': 0.75, 'hits@1': 1.0}
    """
    return ranking_report(_data(qrels, run), scores=_scores(metrics), k=None)


@advises_on_keywords
def compare(qrels: Any, runs: Any, metrics: str | Iterable[str]) -> Comparisons:
    """Compare runs on the same queries, as ranx's function of this name is called.

    Parameters
    ----------
    qrels : dict of dicts, table, path, or Qrels of ranx
        The judgments, as in `evaluate`.

    runs : list or dict of runs
        The runs, each as in `evaluate`, in a list or by their names. In a list, a Run of ranx has
        its own name, a file its path, and others are "run 1", "run 2" and so on.

    metrics : str or iterable of str
        The names of metrics, as in `evaluate`.

    Returns
    -------
    comparisons : Comparisons
        The means of all runs, and what is significant, corrected for several comparisons.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.significance.compare_all : Has all options of comparisons.
    """
    if not isinstance(runs, Mapping):
        runs = {_name(run, number): run for number, run in enumerate(runs, 1)}
    return compare_all({name: evaluate(qrels, run, metrics) for name, run in runs.items()})


def _data(qrels: Any, run: Any) -> RankingData:
    """Return judgments and a run as data of this package."""
    judged, found = _content(qrels, read_qrels), _content(run, read_run)
    of_dicts = isinstance(judged, dict) and all(isinstance(own, dict) for own in judged.values())
    return from_lists(judged, found) if of_dicts else from_tables(judged, found)


def _content(given: Any, read: Any) -> Any:
    """Return the content of a file, the dict of an object of ranx, or what is neither."""
    if isinstance(given, (str, os.PathLike)):
        return read_json(given) if os.fspath(given).endswith(".json") else read(given)
    return given.to_dict() if type(given).__module__.startswith("ranx.") else given


def _name(run: Any, number: int) -> str:
    """Return the name of a run in a list."""
    own = run if isinstance(run, (str, os.PathLike)) else getattr(run, "name", None)
    return f"run {number}" if own is None else str(own)


def _scores(metrics: str | Iterable[str]) -> dict[str, Any]:
    """Return the scores here of metrics of ranx, by their names there."""
    # Some need a cutoff here. Of a whole list, they are the same in any order of ties.
    ours = re.compile(f"(?!(hit_rate|precision|f1)$)({'|'.join(SCORES)})(@[0-9]+)?")
    names = [metrics] if isinstance(metrics, str) else metrics
    plain = {name: name.replace("-", "_") for name in names}
    return {name: own if ours.fullmatch(own) else f"ranx:{name}" for name, own in plain.items()}
