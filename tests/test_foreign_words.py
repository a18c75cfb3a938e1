"""Words of other programs: each function that has another word for it says which."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from raising import raises

import ranking_scores
from ranking_scores import (
    StreamingScore,
    compat,
    from_lists,
    from_table,
    from_tables,
    hit_rate_score,
    like,
    make_ranking_scorer,
    ndcg_score,
    precision_at_k_score,
    qid_from_sizes,
    r_precision_score,
    ranking_report,
    read_report,
    retrieved_from_ids,
    scale,
)
from ranking_scores._tables._columns import noted
from ranking_scores.agreement import agreement_report
from ranking_scores.compat import ranx
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain import explain_query
from ranking_scores.gates import check
from ranking_scores.significance import compare, compare_all, confidence_interval
from ranking_scores.ties import tie_report
from ranking_scores.trec import from_pytrec_eval, read_qrels, read_run
from ranking_scores.unjudged import score_bounds

GIVEN = {"a": ["x"]}, {"a": ["x"]}
ROWS = {"query": [1], "item": [1], "label": [1], "score": [1]}
KNOWN = {"query": [1], "item": [1]}, {"query": [1], "item": [1], "score": [1]}
TABLES = {"q": [1], "i": [1], "l": [1]}, {"q": [1], "i": [1], "s": [1]}


@pytest.mark.parametrize(
    ("call", "name", "advice"),
    [
        (partial(hit_rate_score, [[1, 0]], [[2, 1]]), "top_k", "It is called `k` here."),
        (partial(r_precision_score, [[1, 0]], [[2, 1]]), "k", "Scores that have a cutoff"),
        (partial(precision_at_k_score, [[1]], [[2]], k=1), "item_weight", "weighted_labels(y_"),
        (partial(ranking_report, [[1, 0]], [[2, 1]]), "metrics", "It is called `scores` here."),
        (partial(ranking_report, [[1, 0]], [[2, 1]]), "cutoffs", "It is called `k` here."),
        (partial(StreamingScore("ndcg").update, [[1]], [[2]]), "top_k", "It is called `k` here."),
        (make_ranking_scorer, "scoring", "It is called `score` here."),
        (partial(make_ranking_scorer, "ndcg"), "at", "It is called `k` here."),
        (partial(tie_report, [[1, 0]], [[2, 1]]), "metric", "It is called `score` here."),
        (partial(score_bounds, [[1, 0]], [[2, 1]]), "metric", "It is called `score` here."),
        (partial(explain_query, [[1, 0]], [[2, 1]]), "metrics", "It is called `score` here."),
        (
            partial(compare, [1, 2], [3, 4]),
            "metric",
            "Values of queries and reports go without it",
        ),
        (partial(StreamingScore, k=5), "metrics", "It is called `scores` here."),
        (partial(confidence_interval, [1, 2]), "score", "by `ranking_report(y_true, y_score, "),
        (partial(confidence_interval, [1], [2]), "metric", "by `ranking_report(y_true, y_score, "),
        (partial(check, "a.json"), "threshold", "It is called `at_least` here."),
        (partial(make_ranking_scorer, "ndcg"), "greater_is_better", "sign of each score is known"),
        (partial(like, measure="ndcg"), "library", "It is called `program` here."),
        (partial(like, "ranx"), "metric", "It is called `measure` here."),
        (partial(ranx.evaluate, {}, {}, "mrr"), "make_comparable", "It is always True here:"),
        (partial(ranx.evaluate, {}, {}, "mrr"), "return_mean", "`per_query` of the report"),
        (partial(ranx.evaluate, {}, {}), "metric", "It is called `metrics` here."),
        (partial(ranx.compare, {}, {}, "mrr"), "max_p", "compare_all` has such options"),
        (partial(from_pytrec_eval, run={}), "qrels", "Did you mean 'qrel'?"),
        (partial(ranking_report, [[1, 0]], [[2, 1]]), "threads", "It is called `n_jobs` here."),
        (
            partial(ranking_report, [[1, 0]], [[2, 1]]),
            "per_query",
            "The `per_query` of the report",
        ),
        (partial(explain_query, [[1, 0]], [[2, 1]]), "query_id", "It is called `qid` or `query`"),
        (partial(score_bounds, [[1]], [[2]], score="ndcg"), "max_rel", "`max_grade` here."),
        (partial(tie_report, [[1, 0]], [[2, 1]]), "scores", "It is called `score` here."),
        (partial(from_table, TABLES[0]), "group", "It is called `query` here."),
        (partial(from_tables, *TABLES), "col_user", "It is called `query` here."),
        (partial(from_tables, TABLES[0]), "reco", "It is called `predictions` here."),
        (partial(compare, [1, 2], [3, 4]), "n_boot", "It is called `n_resamples` here."),
        (partial(from_pytrec_eval, {}, {}), "missing", "It is called `queries` here."),
        (partial(agreement_report, *GIVEN), "p", "is a part of the name, as in 'rbo@0.9'."),
        (partial(compare_all, {"a": [1], "b": [2]}), "metrics", "It is called `scores` here, for"),
        (partial(confidence_interval, [1, 2]), "alpha", "It is called `confidence_level` here."),
        (partial(confidence_interval, [1, 2]), "n_resample", "Did you mean 'n_resamples'?"),
        (partial(check, "a.json"), "confidence", "It is called `confidence_level` here."),
        (partial(agreement_report, *GIVEN), "metrics", "It is called `scores` here."),
        (partial(agreement_report, *GIVEN), "k", "in their name, such as 'ndcg@10' and 'overlap@"),
        (partial(from_lists, *GIVEN), "k", "Scores that have a cutoff take `k`, or have it in"),
        (partial(from_lists, retrieved=GIVEN[1]), "qrels", "It is called `relevant` here."),
        (partial(from_tables, *TABLES), "qid", "It is called `query` here."),
        (partial(from_table, TABLES[0]), "doc_id", "It is called `item` here."),
        (partial(retrieved_from_ids, [[1]], n_items=2), "group", "qid_from_sizes(group)"),
        (partial(scale.report, ROWS), "metrics", "It is called `scores` here."),
        (partial(ndcg_score, [[1, 0]]), "scores", "What a model gave is `y_score`."),
        (confidence_interval, "scores", "It is called `values` here."),
        (partial(compare, *GIVEN), "runs", "`ranking_scores.compat.ranx.compare` takes runs."),
        (compare_all, "runs", "It is called `systems` here."),
        (read_report, "file", "It is called `path` here."),
        (read_qrels, "filename", "It is called `path` here."),
        (read_run, "filename", "It is called `path` here."),
        (qid_from_sizes, "group", "It is called `sizes` here."),
    ],
)
def test_words_of_other_programs_are_explained_at_every_door(call, name, advice):
    with pytest.raises(InvalidParameterError, match=" has no parameter '") as caught:
        call(**{name: "x"})
    assert caught.value.parameter == name
    assert advice in f"{caught.value.advice} {caught.value.code}"


@pytest.mark.parametrize(
    ("call", "name", "example"),
    [
        (partial(tie_report, [[1, 0]], [[2, 1]]), "score", ', as in score="ndcg@10"'),
        (partial(retrieved_from_ids, [[1]]), "n_items", ", as in n_items=1000"),
        (StreamingScore, "scores", ', as in scores=["ndcg@10", "map"]'),
        (StreamingScore("ndcg").update, "y_true", ", as in y_true=[[1, 0, 2]]"),
        (ranking_report, "y_true", ", as in y_true=[[1, 0, 2]]"),
        (like, "program", ', as in program="trec_eval"'),
        (partial(like, "ranx:ndcg@10"), "measure", ', as in measure="ndcg_cut_10"'),
        (partial(compare, [1, 2]), "system_b", ", as in system_b=[1.0, 1.0]"),
        (read_qrels, "path", ', as in path="qrels.txt"'),
        (read_run, "path", ', as in path="bm25.run"'),
        (read_report, "path", ', as in path="report.json"'),
        (qid_from_sizes, "sizes", ", as in sizes=[3, 2]"),
    ],
)
def test_a_parameter_that_is_missing_is_named_with_an_example(call, name, example):
    with raises(name, f"given{example}", got=""):
        call()


@pytest.mark.parametrize(
    ("old", "new"), [("y_true", "label"), ("y_score", "score"), ("qid", "query")]
)
def test_old_words_of_columns_are_answered_where_two_tables_are_joined(old, new):
    with raises(old, "left out", got="'x'", advice=f"It is called `{new}` here."):
        scale.report_tables(*KNOWN, **{old: "x"})


@pytest.mark.parametrize(
    ("call", "last", "example"),
    [
        (partial(ndcg_score, [[1, 0]], [[2, 1]]), "y_score", ", as in k=10"),
        (partial(ranking_report, [[1]], [[2]]), "y_score", ", as in k=10"),
        (partial(tie_report, [[1, 0]], [[2, 1]]), "y_score", ""),
        (partial(scale.report, {}), "data", ", as in k=10"),
        (partial(StreamingScore, "ndcg"), "scores", ""),
        (partial(from_lists, *GIVEN), "retrieved", ""),
    ],
)
def test_too_many_arguments_by_position_are_told_to_come_by_name(call, last, example):
    advice = f"Pass others by name{example}."
    with raises(last, "the last one by position", got="5 after it", advice=advice):
        call(5)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (
            partial(ndcg_score, [[1]], noted({"query": np.ones(1)})),
            "`ranking_scores.from_tables` m",
        ),
        (partial(ndcg_score, [[1]], {"q": {"a": 1}}), "`ranking_scores.trec.from_pytrec_eval` m"),
        (partial(compare, {"q": {"a": 1}}, [1]), "`ranking_scores.trec.from_pytrec_eval` makes"),
        (
            partial(ranking_report, from_lists(*GIVEN), ["map"]),
            "by name, as in scores=['ndcg@10']",
        ),
        (partial(ndcg_score, from_lists(*GIVEN), "map"), "by name, as in score='ndcg@10'"),
        (partial(ndcg_score, from_lists(*GIVEN), [[1]]), ""),
    ],
)
def test_data_in_the_place_of_others_is_answered_with_the_door_for_it(call, code):
    with pytest.raises(InvalidParameterError) as caught:
        call()
    assert code in caught.value.code
    assert bool(code) == bool(caught.value.code)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("recall.5", "Did you mean 'recall@5'?"),
        ("P.5", "Did you mean 'precision@5'?"),
        ("valid_0 ndcg@5", "Did you mean 'ndcg@5'?"),
        ("validation_0-ndcg@5", "Did you mean 'ndcg@5'?"),
        ("ndcg_float_at_k", "Did you mean 'ndcg'?"),
        ("cos_sim-Accuracy@1", "Did you mean 'hit_rate@1'?"),
        ("NDCG:top=10;type=Exp", "Did you mean 'ndcg@10'?"),
        ("ndcg@5,10", "Write 'ndcg@5', 'ndcg@10'."),
        ("ndcg@5, map", "Write 'ndcg@5', 'map'."),
        (
            "ndcg_burges@10",
            "Did you mean 'ndcg@10'? 'ranx:ndcg_burges@10' gives the numbers of ranx.",
        ),
        (
            "SetRelP(rel=2)",
            "Did you mean 'precision'? 'ir_measures:SetRelP(rel=2)' gives the numbers of ir_",
        ),
        ("IPrec@0.5", "IPrec of ir_measures: Interpolated precision is the highest at any later"),
        ("NERR8@10", "NERR8 of ir_measures: The weight of a rank depends on the grades above it"),
        ("rbp.95", "Pass `partial(rank_biased_precision_score, persistence=.95)`."),
    ],
)
def test_a_name_of_another_program_is_answered_with_the_one_here(name, advice):
    with pytest.raises(InvalidParameterError) as caught:
        ranking_report([[1, 0]], [[2, 1]], scores=[name])
    assert str(caught.value).partition("instead. ")[2].startswith(advice)


def test_names_of_trec_eval_may_be_in_upper_case():
    assert [*ranking_report([[1, 0]], [[2, 1]], scores=["NDCG_CUT.10"])] == ["ndcg@10"]


def test_a_needed_option_has_an_example():
    with raises("max_grade", "given", advice="For example, max_grade=3."):
        ranking_report([[1, 0]], [[2, 1]], scores=["ERR@20"])


@pytest.mark.parametrize(
    ("data", "cure"),
    [
        (([[1, -1]], [[2, 1]]), "leave out, or pass `where=y_true >= 0` for 2-D arrays."),
        ((from_lists({"q": {"a": -1}}, {"q": ["a"]}),), "Drop items that they mark as to leave"),
    ],
)
def test_items_with_labels_below_0_can_be_left_out(data, cure):
    with pytest.raises(InvalidParameterError) as caught:
        ndcg_score(*data)
    assert cure in caught.value.code
    with pytest.raises(InvalidParameterError) as caught:
        ndcg_score([-1, 1], [2, 1], qid=["q", "q"])
    assert "they mark as to leave out. Are" in caught.value.code


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        (partial(from_lists, "qrels.txt", "run.txt"), "`from_tables` joins tables, and what"),
        (
            partial(from_lists, pd.DataFrame({"q": [1]}), {}),
            "`from_tables` joins tables, and what",
        ),
        (partial(from_tables, "a.txt", "b.txt"), "`trec.read_qrels` and `trec.read_run` read fil"),
        (partial(from_tables, {"x": {"a": 1}}, {"x": {"a": 1}}), "`from_lists` joins dicts of d"),
        (partial(ranking_report, from_lists(*GIVEN), "ndcg@10"), "by name, as in score='ndcg@10'"),
    ],
)
def test_data_for_another_function_is_sent_there(call, cure):
    with pytest.raises(InvalidParameterError) as caught:
        call()
    assert cure in caught.value.code


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("mrr_score", "mean_reciprocal_rank_score"),
        ("average_precision_score", "mean_average_precision_score"),
        ("ndcg", "ndcg_score"),
        ("recall_score", "recall_at_k_score"),
        ("evaluate", "ranking_report"),
        ("Run", "from_lists"),
        ("roc_auc_score", "grouped_auc_score"),
        ("read_qrels", "trec.read_qrels"),
        ("score_bounds", "unjudged.score_bounds"),
        ("RelevanceEvaluator", "compat.pytrec_eval.RelevanceEvaluator"),
        ("parse_run", "compat.pytrec_eval.parse_run"),
        ("from_dataframe", "from_tables"),
    ],
)
def test_a_name_that_the_package_lacks_is_answered_with_the_one_here(name, cure):
    with pytest.raises(AttributeError) as caught:
        getattr(ranking_scores, name)
    assert str(caught.value).endswith(f"Did you mean {cure!r}?")
    assert caught.value.name == name
    assert callable(attrgetter(cure)(ranking_scores))


@pytest.mark.parametrize("name", ["pytrec_eval", "ranx"])
def test_a_door_in_the_words_of_a_program_is_there_when_it_is_asked_for(monkeypatch, name):
    there = getattr(compat, name)
    monkeypatch.delattr(compat, name)
    assert getattr(compat, name) is there


def test_a_name_of_nothing_has_no_cure():
    with pytest.raises(AttributeError, match=r"has no attribute 'xyzzy'$"):
        ranking_scores.xyzzy  # noqa: B018
    with pytest.raises(AttributeError, match=r"compat' has no attribute 'xyzzy'$"):
        compat.xyzzy  # noqa: B018
    assert not hasattr(ranking_scores, "__wrapped__")


def test_a_measure_of_a_program_is_shown_by_its_name_and_a_sentence():
    measure = repr(ranking_scores.like("LightGBM", "ndcg@3"))
    assert measure == "LightGBM:ndcg@3 (Equal scores stay in the order of the rows)"
