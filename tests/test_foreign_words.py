"""Words of other programs: each function that has another word for it says which."""

from __future__ import annotations

from functools import partial

import pytest
from raising import raises

import ranking_scores
from ranking_scores import (
    StreamingScore,
    from_lists,
    from_table,
    from_tables,
    hit_rate_score,
    make_ranking_scorer,
    precision_at_k_score,
    r_precision_score,
    ranking_report,
    retrieved_from_ids,
    scale,
)
from ranking_scores.agreement import agreement_report
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain import explain_query
from ranking_scores.gates import check
from ranking_scores.significance import compare, compare_all, confidence_interval
from ranking_scores.ties import tie_report
from ranking_scores.unjudged import score_bounds

GIVEN = {"a": ["x"]}, {"a": ["x"]}
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
        (partial(make_ranking_scorer, "ndcg"), "at", "It is called `k` here."),
        (partial(tie_report, [[1, 0]], [[2, 1]]), "metric", "It is called `score` here."),
        (partial(score_bounds, [[1, 0]], [[2, 1]]), "metric", "It is called `score` here."),
        (partial(explain_query, [[1, 0]], [[2, 1]]), "metrics", "It is called `score` here."),
        (partial(compare, [1, 2], [3, 4]), "metric", "It is called `score` here."),
        (partial(compare_all, {"a": [1], "b": [2]}), "metrics", "It is called `scores` here."),
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
        (partial(scale.report, "x.csv"), "metrics", "It is called `scores` here."),
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
        (partial(scale.per_query, "x.csv", path="y.csv"), "y_true", ""),
        (partial(compare, [1, 2]), "system_b", ""),
    ],
)
def test_a_parameter_that_is_missing_is_named_with_an_example(call, name, example):
    with raises(name, f"given{example}", got=""):
        call()


def test_too_many_arguments_are_as_python_says_it():
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        compare([1, 2], [3, 4], "ndcg")


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("mrr_score", "mean_reciprocal_rank_score"),
        ("average_precision_score", "mean_average_precision_score"),
        ("ndcg", "ndcg_score"),
        ("recall_score", "recall_at_k_score"),
        ("evaluate", "ranking_report"),
    ],
)
def test_a_name_that_the_package_lacks_is_answered_with_the_one_here(name, cure):
    with pytest.raises(AttributeError) as caught:
        getattr(ranking_scores, name)
    assert str(caught.value).endswith(f"Did you mean {cure!r}?")
    assert caught.value.name == name


def test_a_name_of_nothing_has_no_cure():
    with pytest.raises(AttributeError, match=r"has no attribute 'xyzzy'$"):
        ranking_scores.xyzzy  # noqa: B018
    assert not hasattr(ranking_scores, "__wrapped__")


def test_a_measure_of_a_program_is_shown_by_its_name_and_a_sentence():
    measure = repr(ranking_scores.like("LightGBM", "ndcg@3"))
    assert measure == "LightGBM:ndcg@3 (Equal scores stay in the order of the rows)"
