"""The provider for ir_measures, compared with the providers that ir_measures has."""

from __future__ import annotations

import math
import random
from functools import partial

import pytest

from ranking_scores import from_lists, ranking_report
from ranking_scores.compat import ir_measures as ours
from ranking_scores.compat.ir_measures import provider
from ranking_scores.exceptions import InvalidParameterError

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is in the extra engines")

ROUNDED = 1e-12
"""How far numbers are off whose sums have other orders."""
MEASURES = [
    *(ir_measures.nDCG @ 3, ir_measures.nDCG, ir_measures.AP, ir_measures.AP(rel=2) @ 5),
    *(ir_measures.RR, ir_measures.RR @ 2, ir_measures.P @ 2, ir_measures.R @ 2),
    *(ir_measures.Rprec, ir_measures.Success @ 1, ir_measures.Bpref, ir_measures.Judged @ 3),
    ir_measures.Accuracy,
    *(
        ir_measures.SetRelP,
        ir_measures.SetP,
        ir_measures.SetR,
        ir_measures.SetF(beta=0.5),
        ir_measures.SetAP,
    ),
]


def data_with_ties():
    """Return judgments and a run, in which queries are missing on either side."""
    draw = random.Random(7)
    documents = [f"d{number}" for number in range(12)]
    qrels = {f"q{n}": {d: draw.randint(0, 2) for d in draw.sample(documents, 6)} for n in range(6)}
    run = {
        f"q{n}": {d: float(draw.randint(0, 3)) for d in draw.sample(documents, 9)}
        for n in range(1, 7)
    }
    return qrels, run


def by_query(results):
    """Return the values of queries."""
    return {each.query_id: each.value for each in results.per_query}


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_measures_are_those_of_ir_measures_in_its_order_of_ties(measure):
    data = data_with_ties()
    found, expected = (
        each.calc([measure], *data) for each in (provider("ir_measures"), ir_measures)
    )
    assert by_query(found) == pytest.approx(by_query(expected), rel=0, abs=ROUNDED)
    assert found.aggregated == pytest.approx(expected.aggregated, rel=0, abs=ROUNDED)


def test_measures_are_means_over_all_orders_of_ties():
    qrels, run = data_with_ties()
    measures = {ir_measures.nDCG @ 3: "ndcg@3", ir_measures.AP: "map", ir_measures.RR: "mrr"}
    measures |= {ir_measures.P @ 2: "precision@2", ir_measures.R @ 2: "recall@2"}
    names = [*measures.values()]
    report = ranking_report(from_lists(qrels, run), scores=names, k=None)
    found = provider().calc_aggregate([*measures], qrels, run)
    assert {measures[each]: value for each, value in found.items()} == pytest.approx(
        dict(report), rel=0, abs=ROUNDED
    )
    others = provider("ir_measures").calc_aggregate([*measures], qrels, run)
    assert all(found[each] != others[each] for each in measures)
    sets = [ir_measures.SetAP, ir_measures.SetP]
    assert provider().calc_aggregate(sets, qrels, run) == pytest.approx(
        ir_measures.calc_aggregate(sets, qrels, run)
    )


def test_ir_measures_asks_it_first_and_others_for_the_rest(monkeypatch):
    pipeline = ir_measures.DefaultPipeline
    monkeypatch.setattr(pipeline, "providers", [provider(), *pipeline.providers])
    qrels = [ir_measures.Qrel("q", "a", 1)]
    run = [ir_measures.ScoredDoc("q", each, 1.0) for each in "ab"]
    measures = [ir_measures.RR, ir_measures.IPrec @ 0.5]
    assert ir_measures.calc_aggregate(measures, qrels, run) == {
        measures[0]: 0.75,
        measures[1]: 0.5,
    }
    [metric] = ir_measures.iter_calc(measures[:1], qrels, run)
    assert metric == ir_measures.Metric(query_id="q", measure=ir_measures.RR, value=0.75)


def test_its_names_are_listed():
    assert dir(ours) == ["provider"]


def test_without_judgments_or_predictions_nothing_is_wrong():
    measure = ir_measures.RR
    assert math.isnan(provider().calc_aggregate([measure], {}, {"q": {"a": 1.0}})[measure])
    assert provider().calc_aggregate([measure], {"q": {"a": 1}}, {}) == {measure: 0}
    others = {"p": {"a": 1.0}}
    assert provider().calc_aggregate([measure], {"q": {"a": 1}}, others) == {measure: 0}


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_queries_with_an_empty_dict_of_judgments_count_where_they_do_in_ir_measures(measure):
    qrels, run = (
        {"p": {"a": 1}, "q": {}, "r": {"b": 1}, "s": {}},
        {"p": {"a": 1.0, "c": 0.5}, "q": {"a": 1.0}},
    )
    for judged in (qrels, {"q": {}}):
        expected = ir_measures.calc([measure], judged, run)
        for ties in ("average", "ir_measures"):
            found = provider(ties).calc([measure], judged, run)
            close = partial(pytest.approx, rel=0, abs=ROUNDED, nan_ok=True)
            assert by_query(found) == close(by_query(expected))
            assert found.aggregated == close(expected.aggregated)


def test_other_orders_are_refused():
    with pytest.raises(InvalidParameterError, match="must be 'average' or 'ir_measures'"):
        provider("best")
