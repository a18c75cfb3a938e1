"""The way every score goes, and the one hook for functions that take scores."""

from __future__ import annotations

from functools import partial, wraps

import numpy as np
import pytest
from evaluations import evaluation_of
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import (
    StreamingScore,
    average_relevant_position,
    dcg_score,
    hit_rate_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    ranking_report,
    recall_at_k_score,
)
from ranking_scores._base._errors import list_some
from ranking_scores._metrics._evaluate import ScoreEvaluation, plan_of
from ranking_scores.ties import chance_level, tie_report

RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 4, (30, 8)) * (RNG.random((30, 8)) < 0.4)
Y_SCORE = RNG.integers(0, 5, (30, 8)) / 2


def test_an_evaluation_has_what_the_mean_is_made_of():
    evaluation = evaluation_of(
        ndcg_score,
        [[0, 1], [0, 0]],
        [[2, 1], [1, 2]],
        k=[2, 1],
        gain="exponential",
        relevance_threshold=1,
        sample_weight=[3, 1],
        replace_undefined_by=0.25,
    )
    assert isinstance(evaluation, ScoreEvaluation)
    assert evaluation.function == "ndcg_score"
    np.testing.assert_allclose(evaluation.values, [[1 / np.log2(3), 0], [0.25, 0.25]])
    assert evaluation.is_defined.tolist() == [[True, True], [False, False]]
    assert evaluation.weight.tolist() == [3, 1]
    assert not evaluation.is_single
    assert evaluation.average == "samples"


@pytest.mark.parametrize("value", [0.1, -0.0, 5e-324, np.inf, -np.inf, np.nan])
def test_the_mean_of_one_query_is_its_value(value):
    evaluation = evaluation_of(dcg_score, [[0, 1]], [[2, 1]], k=[1, 2])
    evaluation = evaluation._replace(values=np.array([[value, 0.5]]))
    means = [sums.mean() for sums in evaluation.sums()]
    found = evaluation.values_for_caller()
    assert found.tobytes() == np.array(means).tobytes()
    single = evaluation._replace(is_single=True, values=evaluation.values[:, :1])
    assert type(single.values_for_caller()) is float
    without_weight = evaluation._replace(known_weight=np.zeros(1))
    assert np.isnan(without_weight.values_for_caller()).all()


def test_a_plan_knows_what_an_item_gains_and_which_direction_is_better():
    params = {"gain": "exponential", "relevance_threshold": 1}
    plan = plan_of(ndcg_score, [[0, 1]], [[2, 1]], params)
    assert plan.greater_is_better
    assert not plan_of(average_relevant_position, [[0, 1]], [[2, 1]], {}).greater_is_better
    gain_of = plan.gain
    assert gain_of(np.array([0, 0.5, 1, 3])).tolist() == [0, 0, 1, 7]
    assert gain_of(np.array([])).tolist() == []
    with pytest.raises(ValueError, match="Got the label -1 in item 1 instead"):
        plan_of(ndcg_score, [[1, 0]], [[1, 0]], {}).gain(np.array([1, -1]))


def test_only_the_score_that_was_asked_for_is_caught():
    def gain(labels):
        inner = ndcg_score([[1, 0]], [[1, 0]])
        assert inner == 1.0
        return labels * inner

    evaluation = evaluation_of(dcg_score, [[1, 0]], [[1, 0]], gain=gain)
    assert evaluation.values.tolist() == [[1.0]]
    with pytest.raises(ValueError, match="'k' parameter of dcg_score"):
        evaluation_of(dcg_score, [[1, 0]], [[1, 0]], k=0)
    assert dcg_score([[1, 0]], [[1, 0]]) == 1.0


def test_functions_of_the_caller_may_call_scores():
    def discount(ranks):
        assert hit_rate_score([[1, 0]], [[2, 1]], k=1) == 1.0
        return 1 / ranks

    def gain(labels):
        assert ranking_report([[1, 0]], [[2, 1]], scores="mrr", k=None)["mrr"] == 1.0
        return labels

    params = {"gain": gain, "discount": discount}
    plain = {"discount": lambda ranks: 1 / ranks}
    expected = ndcg_score(Y_TRUE, Y_SCORE, **plain)
    assert ranking_report(Y_TRUE, Y_SCORE, scores="ndcg", k=None, **params)["ndcg"] == expected
    assert tie_report(Y_TRUE, Y_SCORE, score=ndcg_score, **params).expected == expected
    chance = chance_level(Y_TRUE, score=ndcg_score, **params)
    assert chance == chance_level(Y_TRUE, score=ndcg_score, **plain)
    stream = StreamingScore(ndcg_score, **params)
    stream.update(Y_TRUE, Y_SCORE)
    assert stream.compute() == expected


@wraps(ndcg_score)
def twice(*args, **params):
    return 2 * ndcg_score(*args, **params)


@pytest.mark.parametrize(
    "caller",
    [
        make_ranking_scorer,
        StreamingScore,
        lambda score: tie_report(Y_TRUE, Y_SCORE, score=score),
        lambda score: chance_level(Y_TRUE, score=score),
        lambda score: ranking_report(Y_TRUE, Y_SCORE, scores=[score]),
    ],
)
def test_a_function_that_wraps_a_score_is_none(caller):
    assert twice.__module__ == ndcg_score.__module__
    with pytest.raises(ValueError, match="must be a score of ranking_scores, or the name of one"):
        caller(twice)


def test_scores_have_no_bits_of_the_scores_beside_them():
    deep = partial(mean_average_precision_score, k=None)
    scores = {"ndcg": ndcg_score, "deep": deep, "broken": partial(ndcg_score, ignore_ties=True)}
    report = ranking_report(Y_TRUE, Y_SCORE, scores=scores, k=[1, 3])
    assert report["ndcg@3"] == ndcg_score(Y_TRUE, Y_SCORE, k=3)
    assert report["deep"] == deep(Y_TRUE, Y_SCORE)
    assert report["broken@1"] == ndcg_score(Y_TRUE, Y_SCORE, k=1, ignore_ties=True)


def test_a_warning_reaches_callers_in_a_namespace_without_a_name():
    code = "score([[0, 0]], [[1, 2]], replace_undefined_by=float('nan'))"
    with pytest.warns(UndefinedMetricWarning, match="ndcg_score is undefined") as caught:
        exec(compile(code, "a template", "exec"), {"score": ndcg_score})
    assert caught[0].filename == "a template"


@pytest.mark.parametrize(
    ("n_names", "expected"),
    [
        (1, "a"),
        (4, "a, b, c, d"),
        (5, "a, b, c, d, e"),
        (6, "a, b, c, d, e and 1 more"),
        (9, "a, b, c, d, e and 4 more"),
    ],
)
def test_of_many_names_five_are_listed(n_names, expected):
    assert list_some("abcdefghi"[:n_names]) == expected


def test_names_with_commas_are_separated_by_semicolons():
    assert list_some(["a", "b", "c", "d", "e, f"]) == "a; b; c; d; e, f"
    assert list_some(["a", "b", "c", "d", "e", "f, g"]) == "a, b, c, d, e and 1 more"


def test_queries_without_gain_count_where_items_have_weights():
    evaluation = evaluation_of(
        dcg_score, [[0, 1], [2, 0], [0, 0]], [[2, 1], [1, 2], [1, 2]], item_weight=np.ones((3, 2))
    )
    [(error, n_queries)] = evaluation.errors()
    values = [1 / np.log2(3), 2 / np.log2(3), 0]
    assert n_queries == 3
    assert error == pytest.approx(np.std(values, ddof=1) / np.sqrt(3), rel=1e-12)


def test_a_query_without_relevant_items_is_undefined_beside_one_that_has_some():
    y_true, y_score = [[1, 0], [0, 0]], [[2, 1], [2, 1]]
    for rows in (slice(None), slice(1, None), slice(0, 1)):
        params = {"k": 1, "average": None, "replace_undefined_by": 0.25}
        values = hit_rate_score(y_true[rows], y_score[rows], **params)
        assert values.tolist() == [1, 0.25][rows]


def test_plans_with_other_cutoffs_do_not_share_what_is_cut():
    scores = {"near": partial(hit_rate_score, k=1), "far": partial(hit_rate_score, k=3)}
    y_true, y_score = [[0, 0, 1]] * 3, [[3, 2, 1]] * 3
    for names in (["near", "far"], ["far", "near"]):
        wanted = {name: scores[name] for name in names}
        report = ranking_report(y_true, y_score, scores=wanted)
        assert dict(report.mean) == {"near@1": 0, "far@3": 1}


@pytest.mark.parametrize("threshold", [None, 0, 2])
def test_relevant_items_count_though_few_are_ranked(threshold):
    y_true, y_score = np.zeros((3, 600)), np.tile(np.arange(600.0), (3, 1))
    y_true[:, [0, 5, 599]] = [1, 2, 2]
    is_relevant = y_true > 0 if threshold is None else y_true >= threshold
    recall = recall_at_k_score(y_true, y_score, k=2, relevance_threshold=threshold)
    assert recall == is_relevant[0, -2:].sum() / is_relevant[0].sum()


def test_the_query_of_a_sum_that_overflows_is_named():
    labels = [[1, 1], [1, 1], [1e308, 1e308]]
    with pytest.raises(ValueError, match="a sum that overflows float64 in query 2 instead"):
        dcg_score(labels, np.ones((3, 2)), k=[1, 2], discount=lambda rank: 0 * rank + 1)
