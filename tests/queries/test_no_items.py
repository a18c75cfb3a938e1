"""Queries of which nothing is relevant and nothing was retrieved, alone, in every layout."""

from __future__ import annotations

import inspect
import json

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from warned import nothing_to_rank

import ranking_scores
from ranking_scores import (
    StreamingScore,
    dcg_score,
    from_lists,
    mean_reciprocal_rank_score,
    ndcg_score,
    ranking_report,
)
from ranking_scores.__main__ import main
from ranking_scores.conventions import like
from ranking_scores.explain import explain_query
from ranking_scores.ties import tie_report
from ranking_scores.trec import from_pytrec_eval, to_pytrec_eval
from ranking_scores.unjudged import score_bounds

SCORES = [getattr(ranking_scores, name) for name in ranking_scores.__all__]
SCORES = [each for each in SCORES if "average" in inspect.signature(each).parameters]
UNRETRIEVED = ("grouped_auc_score", "pairwise_accuracy_score")
EMPTY = np.zeros((2, 0))
NO_LISTS = pl.Series([[], []], dtype=pl.List(pl.Float64))
LAYOUTS = {
    "dense": (EMPTY, EMPTY),
    "nested lists": ([[], []], [[], []]),
    "sparse labels": (sp.csr_array(EMPTY), EMPTY),
    "retrieved": (EMPTY, sp.csr_array(EMPTY)),
    "both sparse": (sp.csr_array(EMPTY), sp.csr_array(EMPTY)),
    "list columns": (NO_LISTS, NO_LISTS),
    "ids": (from_lists({"a": [], "b": []}, {"a": [], "b": []}),),
    "dicts": (from_pytrec_eval({"a": {}, "b": {}}, {"a": {}}),),
}
SPARSE = ("retrieved", "both sparse", "ids", "dicts")


def options_of(score):
    """Return the parameters without which a score cannot be called."""
    known, options = inspect.signature(score).parameters, {"k": 2, "max_grade": 3}
    return {
        name: options[name]
        for name in options
        if name in known and known[name].default is known[name].empty
    }


@nothing_to_rank
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("score", SCORES)
def test_queries_without_items_score_what_masked_ones_do(score, layout):
    if score.__name__ in UNRETRIEVED and layout in SPARSE:
        pytest.skip("the score does not take the retrieved layout")
    options, one = options_of(score), np.zeros((2, 1))
    masked = score(one, one, where=np.zeros((2, 1), dtype=bool), average=None, **options)
    got = score(*LAYOUTS[layout], average=None, **options)
    assert got.shape == (2,)
    np.testing.assert_array_equal(got, masked)
    assert np.unique(got[~np.isnan(got)]).tolist() in ([], [0.0])


@nothing_to_rank
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_alone_counts_as_it_does_beside_others(layout):
    assert ndcg_score(*LAYOUTS[layout]) == 0
    assert ndcg_score(*LAYOUTS[layout], replace_undefined_by=0.25) == 0.25
    assert ndcg_score(*LAYOUTS[layout], k=[1, 3]).tolist() == [0, 0]
    if layout == "list columns":
        return
    for weight in (EMPTY, np.zeros(0)):
        with pytest.warns(match="no query has both a weight"):  # it weighs nothing
            assert np.isnan(ndcg_score(*LAYOUTS[layout], item_weight=weight))
    if layout not in SPARSE:
        for mask in (EMPTY.astype(bool), [[], []]):
            assert dcg_score(*LAYOUTS[layout], where=mask) == 0


@nothing_to_rank
@pytest.mark.parametrize("layout", LAYOUTS)
def test_other_functions_take_them(layout):
    data = LAYOUTS[layout]
    stream = StreamingScore(["ndcg", "mrr"])
    stream.update(*data)
    assert stream.compute() == {"ndcg": 0, "mrr": 0}
    report = ranking_report(*data, scores=["ndcg@5", "recall@5"])
    assert report.to_dict() == {"ndcg@5": 0, "recall@5": 0}
    assert report.n_undefined == {"ndcg@5": 2, "recall@5": 2}
    assert tie_report(*data, score="ndcg").expected == 0
    bounds = score_bounds(*data, score="ndcg")
    assert (bounds.low, bounds.high) == (0, 0)
    query = "a" if len(data) == 1 else 0
    assert "is undefined" in str(explain_query(*data, score="ndcg", query=query))
    with pytest.warns(match="no query has both a weight"):  # trec_eval leaves it out
        assert np.isnan(like("trec_eval", "ndcg_cut_10")(*data))


def test_they_are_written_for_pytrec_eval():
    qrel, run = to_pytrec_eval(EMPTY, EMPTY)
    assert (qrel, run) == ({"q0": {}, "q1": {}}, {"q0": {}, "q1": {}})
    assert mean_reciprocal_rank_score(from_pytrec_eval(qrel, run), average=None).tolist() == [0, 0]


def test_the_command_takes_one(tmp_path, capsys):
    for name in ("gold.json", "found.json"):
        (tmp_path / name).write_text('{"q": []}', encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("gold.json", "found.json")]
    assert main([*paths, "-m", "mrr", "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert (row["score"], row["mean"], row["n_undefined"]) == ("mrr", 0, 1)
