"""A provider for ir_measures, which computes its measures by the scores of this package.

Put it before its own ones, so that ``calc_aggregate``, ``iter_calc`` and ``evaluator`` ask it::

    import ir_measures
    from ranking_scores.compat.ir_measures import provider

    ir_measures.DefaultPipeline.providers.insert(0, provider())
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Literal

import numpy as np

from ranking_scores._base._validation import check_option
from ranking_scores._metrics._programs import ProgramScore
from ranking_scores.compat.pytrec_eval import over_all_orders
from ranking_scores.conventions import like
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.trec import from_pytrec_eval

__all__ = ["provider"]


def __dir__() -> list[str]:
    return __all__


def provider(ties: Literal["average", "ir_measures"] = "average") -> Any:
    """Return a provider of ir_measures that computes its measures by the scores of this package.

    Parameters
    ----------
    ties : {"average", "ir_measures"}, default="average"
        The order of equal scores:

        - "average": the exact mean over all orders.
        - "ir_measures": the order of the program that computes the measure there, which is
          trec_eval's for most.

    Returns
    -------
    provider : ir_measures.providers.Provider
        The provider. It supports the measures of ir_measures that
        `ranking_scores.conventions.like` knows. Others, such as IPrec, are left to the providers
        behind it.

    Raises
    ------
    ImportError
        If ir_measures is not installed.
    ValueError, TypeError
        If `ties` is neither. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.conventions.like : Returns a measure of ir_measures as a score.

    Examples
    --------
    >>> import ir_measures  # doctest: +SKIP
    >>> from ranking_scores.compat.ir_measures import provider
    >>> qrels, run = {"tea": {"d1": 1}}, {"tea": {"d1": 0.5, "d2": 0.5}}
    >>> provider().calc_aggregate([ir_measures.RR], qrels, run)  # doctest: +SKIP
    {RR: 0.75}
    """
    check_option(ties, "ties", "provider", ("average", "ir_measures"))
    made = import_module("ir_measures.providers").Provider()
    made.NAME, made.supports = "ranking_scores", _supports
    made._evaluator = partial(_evaluator, ties)
    return made


def _supports(measure: Any) -> bool:
    """Return whether a measure is known here."""
    try:
        return bool(like("ir_measures", str(measure)))
    except InvalidParameterError:
        return False


def _evaluator(ties: str, measures: Iterable[Any], qrels: Any) -> Any:
    """Return an evaluator of ir_measures, which asks our scores for the values of queries."""
    scores = {measure: like("ir_measures", str(measure)) for measure in measures}
    # Of its providers, those that compare floats of 64 bits leave out what has no judgment.
    counts_all = {
        measure
        for measure, score in scores.items()
        if score.convention.scores != "float64" or score.convention.metric == "judged"
    }
    if ties == "average":
        for measure, score in scores.items():
            scores[measure] = replace(score, convention=over_all_orders(score.convention))
    judged = import_module("ir_measures.util").QrelsConverter(qrels).as_dict_of_dict()
    made = import_module("ir_measures.providers").Evaluator([*scores], set(judged))
    made.iter_calc = partial(_iter_calc, scores, counts_all, judged)
    return made


def _iter_calc(
    scores: dict[Any, ProgramScore], counts_all: set[Any], judged: dict[str, Any], run: Any
) -> Iterator[Any]:
    """Yield the values of the judged queries, as ir_measures wants them."""
    util = import_module("ir_measures.util")
    found = util.RunConverter(run).as_dict_of_dict()
    for query in [query for query, own in judged.items() if not own]:
        for measure in counts_all:
            yield util.Metric(query_id=query, measure=measure, value=measure.DEFAULT)
    judged = {query: own for query, own in judged.items() if own}
    if not judged:
        return
    data = from_pytrec_eval(judged, {query: found[query] for query in found if query in judged})
    for measure, score in scores.items():
        values = np.asarray(score(data, average=None)).tolist()
        for query, value in zip(data.query_ids.tolist(), values, strict=True):
            if value == value:  # Queries that are left out are NaN.
                yield util.Metric(query_id=query, measure=measure, value=value)
