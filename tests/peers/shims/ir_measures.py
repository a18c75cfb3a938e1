"""ir_measures: an evaluator of ours in the place of those of its providers.

A provider is a program of its own, and the evaluator gives the numbers of that program. Measures
that have no convention are left to the provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ranking_scores import from_tables
from ranking_scores.conventions import ProgramScore, like
from ranking_scores.exceptions import InvalidParameterError

from . import LeftToThePeer, leave

TREC_EVAL = {
    "P": "P",
    "AP": "map",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "R": "recall",
    "Bpref": "bpref",
    "NumRet": "num_rel_ret",
    "SetAP": "set_map",
    "SetP": "set_P",
    "SetR": "set_recall",
    "Success": "success",
}
"""The measures of trec_eval by those of ir_measures."""
RANX = {
    "P": "precision",
    "SetP": "precision",
    "R": "recall",
    "SetR": "recall",
    "RR": "mrr",
    "AP": "map",
    "Success": "hit_rate",
    "NumRet": "hits",
    "Rprec": "r-precision",
}
"""The measures of ranx by those of ir_measures."""


class Asked(NamedTuple):
    """A measure of ours, and the labels that it is about."""

    score: ProgramScore
    gains: Mapping[int, float] | None = None
    """The label that counts for another one."""


def evaluator(provider: Any, measures: Iterable[Any], qrels: Any) -> Any:
    """Return an evaluator with our numbers, as `Provider.evaluator` does."""
    from ir_measures.util import QrelsConverter

    if hasattr(provider, "providers") or provider.NAME == "runtime":
        raise LeftToThePeer  # it asks the other providers, or functions of the user
    if provider.NAME == "trectools":
        raise LeftToThePeer("trectools, with 0 for queries that trectools leaves out")
    measures, asked, left = list(measures), {}, []
    for measure in measures:
        try:
            asked[measure] = find(provider.NAME, measure)
        except InvalidParameterError:  # there is no such convention
            left.append(measure)
    names = f"{provider.NAME} {', '.join(sorted(map(str, left)))}"
    if not asked:
        raise LeftToThePeer(names)
    judgments, theirs = list(QrelsConverter(qrels).as_namedtuple_iter()), None
    if left:
        leave(names)
        provider._check_available()
        theirs = provider._evaluator(left, judgments)
    return make_evaluator(asked, judgments, theirs)


def iter_calc(provider: Any, measures: Iterable[Any], qrels: Any, run: Any) -> Iterator[Any]:
    """Return the values of the queries, as `Provider.iter_calc` does."""
    found: Iterator[Any] = evaluator(provider, measures, qrels).iter_calc(run)
    return found


def find(provider: str, measure: Any) -> Asked:
    """Return our score for a measure of a provider."""
    name, params = measure.NAME, measure.params
    cutoff = {"k": params["cutoff"]} if "cutoff" in params else {}
    rel = params.get("rel", 1)
    if provider == "gdeval":
        return Asked(like("gdeval", name, **cutoff))
    if provider == "ranx" and name == "nDCG":
        is_exponential = params.get("dcg") == "exp-log2"
        return Asked(like("ranx", "ndcg_burges" if is_exponential else "ndcg", **cutoff))
    if provider == "ranx":
        return Asked(like("ranx", RANX.get(name, name), rel_lvl=rel, **cutoff))
    if provider == "pytrec_eval" and name == "nDCG" and "gains" in params:
        others = {each: value for each, value in params.items() if each != "gains"}
        return Asked(like("ir_measures", str(type(measure)(**others))), params["gains"])
    of_trec_eval = "judged_only" in params or "relative" in params
    of_trec_eval |= name == "NumRet" and "rel" in params
    if provider == "pytrec_eval" and name in TREC_EVAL and of_trec_eval:
        of_name = "set_relative_P" if params.get("relative") else TREC_EVAL[name]
        judged_only = {"judged_docs_only_flag": params.get("judged_only", False)}
        if cutoff and name == "AP":
            of_name = "map_cut"
        return Asked(like("trec_eval", of_name, relevance_level=rel, **judged_only, **cutoff))
    return Asked(like("ir_measures", str(measure)))


def make_evaluator(asked: Mapping[Any, Asked], judgments: list[Any], theirs: Any) -> Any:
    """Return an evaluator that asks our scores, and that of the provider for what is left."""
    from ir_measures.providers import Evaluator
    from ir_measures.util import CalcResults, Metric, RunConverter

    class OurEvaluator(Evaluator):
        def iter_calc(self, run: Any) -> Iterator[Any]:
            run = list(RunConverter(run).as_namedtuple_iter())
            for measure, each in asked.items():
                data = join(judgments, run, each.gains)
                if data is None:
                    continue
                values = each.score(data, average=None)
                for query, value in zip(data.query_ids.tolist(), values.tolist(), strict=True):
                    if not np.isnan(value):
                        yield Metric(query_id=query, measure=measure, value=value)
            if theirs is not None:
                yield from theirs.iter_calc(run)

        def calc_aggregate(self, run: Any) -> dict[Any, float]:
            run = list(RunConverter(run).as_namedtuple_iter())
            found = {} if theirs is None else theirs.calc_aggregate(run)
            for measure, each in asked.items():
                data = join(judgments, run, each.gains)
                found[measure] = float("nan") if data is None else each.score(data)
            return found

        def calc(self, run: Any) -> Any:
            run = list(RunConverter(run).as_namedtuple_iter())
            return CalcResults(self.calc_aggregate(run), list(self.iter_calc(run)))

    measures = [*asked, *([] if theirs is None else theirs.measures)]
    return OurEvaluator(measures, {each.query_id for each in judgments})


def join(judgments: list[Any], run: list[Any], gains: Mapping[int, float] | None) -> Any:
    """Return the data of our scores, or None if nothing was judged."""
    if not judgments:
        return None
    judged = {
        "query": [each.query_id for each in judgments],
        "item": [each.doc_id for each in judgments],
        "label": [(gains or {}).get(each.relevance, each.relevance) for each in judgments],
    }
    retrieved = {
        "query": [each.query_id for each in run],
        "item": [each.doc_id for each in run],
        "score": [each.score for each in run],
    }
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    return from_tables(judged, retrieved, **names)


REPLACED = {
    "ir_measures.providers.base.Provider.evaluator": evaluator,
    "ir_measures.providers.base.Provider.iter_calc": iter_calc,
}
