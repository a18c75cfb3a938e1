"""What a type checker must conclude from calls; mypy checks it, and a test runs it."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import ranking_scores
from ranking_scores import (
    all_relevant_at_k_score,
    alpha_ndcg_score,
    average_relevant_position,
    bpref_score,
    dcg_score,
    expected_reciprocal_rank_score,
    f1_at_k_score,
    grouped_auc_score,
    hit_rate_score,
    judged_at_k_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    pairwise_accuracy_score,
    precision_at_k_score,
    r_precision_score,
    rank_biased_precision_score,
    recall_at_k_score,
)

Floats = NDArray[np.float64]
Y_TRUE, Y_SCORE = [[0, 1, 2]], np.array([[0.1, 0.2, 0.3]])
QREL, RUN = {"tea": {"d1": 1}}, {"tea": {"d1": 0.5}}


def check_results() -> None:
    """One number or an array of them, as `k` and `average` say."""
    assert_type(dcg_score(Y_TRUE, Y_SCORE), float)
    assert_type(dcg_score(Y_TRUE, Y_SCORE, k=3, log_base=10), float)
    assert_type(dcg_score(Y_TRUE, Y_SCORE, k=np.int64(3), average="samples"), float)
    assert_type(dcg_score(Y_TRUE, Y_SCORE, k=[1, 3]), Floats)
    assert_type(dcg_score(Y_TRUE, Y_SCORE, k=range(1, 4), average=None), Floats)
    assert_type(dcg_score(Y_TRUE, Y_SCORE, average=None), Floats)

    assert_type(ndcg_score(Y_TRUE, Y_SCORE), float)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, k=None, gain=[0, 1, 3]), float)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, k=3, gain=lambda label: label**2), float)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, k=np.array([1, 3]), sample_weight=[1.0]), Floats)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, k=(1, 3), average="samples"), Floats)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, k=1, average=None, ignore_ties=True), Floats)
    assert_type(ndcg_score([0, 1], [0.1, 0.2], qid=["a", "a"], discount="log"), float)

    assert_type(hit_rate_score(Y_TRUE, Y_SCORE, k=3), float)
    assert_type(hit_rate_score(["a"], Y_SCORE, k=1, labels=["a", "b", "c"]), float)
    assert_type(hit_rate_score(Y_TRUE, Y_SCORE, k=[1, 2]), Floats)
    assert_type(hit_rate_score(Y_TRUE, Y_SCORE, k=[1, 2], average=None), Floats)
    assert_type(hit_rate_score(Y_TRUE, Y_SCORE, k=1, average=None), Floats)

    assert_type(average_relevant_position(Y_TRUE, Y_SCORE), float)
    assert_type(average_relevant_position(Y_TRUE, Y_SCORE, average=None), Floats)

    assert_type(precision_at_k_score(Y_TRUE, Y_SCORE, k=1), float)
    assert_type(precision_at_k_score(Y_TRUE, Y_SCORE, k=None, denominator="retrieved"), float)
    assert_type(precision_at_k_score(Y_TRUE, Y_SCORE, k=[1, 2]), Floats)
    assert_type(recall_at_k_score(Y_TRUE, Y_SCORE), float)
    assert_type(recall_at_k_score(Y_TRUE, Y_SCORE, k=2, denominator="achievable"), float)
    assert_type(f1_at_k_score(Y_TRUE, Y_SCORE, k=2, average=None), Floats)
    assert_type(f1_at_k_score(Y_TRUE, Y_SCORE, k=[1, 2], beta=0.5), Floats)
    assert_type(f1_at_k_score(Y_TRUE, Y_SCORE, k=None, beta=np.inf), float)
    assert_type(f1_at_k_score(Y_TRUE, Y_SCORE, k=None, average=None), Floats)
    assert_type(r_precision_score(Y_TRUE, Y_SCORE), float)
    assert_type(mean_average_precision_score(Y_TRUE, Y_SCORE, k=[1], average=None), Floats)
    assert_type(mean_reciprocal_rank_score(Y_TRUE, Y_SCORE, k=10), float)
    assert_type(expected_reciprocal_rank_score(Y_TRUE, Y_SCORE, max_grade=2), float)
    assert_type(rank_biased_precision_score(Y_TRUE, Y_SCORE, persistence=0.5), float)
    assert_type(grouped_auc_score(Y_TRUE, Y_SCORE), float)
    assert_type(grouped_auc_score(Y_TRUE, Y_SCORE, average=None), Floats)
    assert_type(pairwise_accuracy_score(Y_TRUE, Y_SCORE), float)
    assert_type(pairwise_accuracy_score(Y_TRUE, Y_SCORE, average=None), Floats)
    assert_type(judged_at_k_score(Y_TRUE, Y_SCORE, k=1), float)
    assert_type(judged_at_k_score(Y_TRUE, Y_SCORE, k=None, denominator="retrieved"), float)
    assert_type(judged_at_k_score(Y_TRUE, Y_SCORE, k=[1, 2]), Floats)
    assert_type(alpha_ndcg_score(Y_TRUE, Y_SCORE, alpha=0.3), float)
    assert_type(all_relevant_at_k_score(Y_TRUE, Y_SCORE, k=1), float)
    assert_type(bpref_score(Y_TRUE, Y_SCORE), float)
    assert_type(bpref_score(Y_TRUE, Y_SCORE, average=None), Floats)

    assert_type(ranking_scores.report.ranking_report(Y_TRUE, Y_SCORE).n_queries, int)
    assert_type(ranking_scores.streaming.StreamingScore("ndcg").n_queries, int)
    assert_type(
        ranking_scores.ties.tie_report(Y_TRUE, Y_SCORE, score="ndcg").worst, float | Floats
    )
    assert_type(ranking_scores.trec.from_pytrec_eval(QREL, RUN), ranking_scores.tables.RankingData)
    assert_type(ranking_scores.trec.from_pytrec_eval(QREL, RUN).query_ids, NDArray[Any])
    comparisons = ranking_scores.significance.compare_all({"a": [0.1, 0.2], "b": [0.1, 0.4]})
    assert_type(comparisons.pvalue, Floats)
    assert_type(comparisons[0], ranking_scores.significance.Comparison)
    two = {query: {"x": 1, "y": 0} for query in "ab"}
    data = ranking_scores.trec.from_pytrec_eval(two, {query: {"x": 0.2} for query in two})
    assert_type(ranking_scores.significance.compare(data, data, score="map").pvalue, float)
    report = ranking_scores.ranking_report(data, scores="map", k=None)
    found = ranking_scores.significance.changes(report, report)
    assert_type(found, ranking_scores.significance.Changes)
    assert_type(found.scores["map"].difference, float)
    needed = ranking_scores.significance.queries_needed(difference=0.1, standard_deviation=0.2)
    assert_type(needed, int | float)
    assert_type(ranking_scores.exceptions.InvalidParameterError().args, tuple[Any, ...])
    ranking_scores.scorers.make_ranking_scorer(ndcg_score)

    assert_type(f1_at_k_score(Y_TRUE, Y_SCORE, k=[1, None]), Floats)
    hit_rate_score(Y_TRUE, Y_SCORE, k=[1, None])  # type: ignore[list-item]
    f1_at_k_score(Y_TRUE, Y_SCORE)  # type: ignore[call-overload]
    r_precision_score(Y_TRUE, Y_SCORE, k=1)  # type: ignore[call-overload]
    expected_reciprocal_rank_score(Y_TRUE, Y_SCORE)  # type: ignore[call-overload]
    precision_at_k_score(Y_TRUE, Y_SCORE, k=1, denominator="K")  # type: ignore[call-overload]
    ndcg_score(Y_TRUE, Y_SCORE, k=1.5)  # type: ignore[call-overload]
    ndcg_score(Y_TRUE, Y_SCORE, average="macro")  # type: ignore[call-overload]
    ndcg_score(Y_TRUE, Y_SCORE, log_base=2)  # type: ignore[call-overload]
    dcg_score(Y_TRUE, Y_SCORE, replace_undefined_by=0.0)  # type: ignore[call-overload]
    hit_rate_score(Y_TRUE, Y_SCORE)  # type: ignore[call-overload]
    pairwise_accuracy_score(Y_TRUE, Y_SCORE, ignore_ties=True)  # type: ignore[call-overload]
    average_relevant_position(Y_TRUE, Y_SCORE, k=1)  # type: ignore[call-overload]
    ranking_scores.ndgc_score(Y_TRUE, Y_SCORE)  # type: ignore[attr-defined]


def check_names() -> None:
    """A name of an option is known, and one that is misspelled is an error."""
    assert_type(dcg_score(Y_TRUE, Y_SCORE, gain="exponential", discount="log"), float)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, gain="linear", average=None), Floats)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, gain=np.array([0, 1, 3])), float)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, gain=(0, 0.5, np.float64(3))), float)
    assert_type(ndcg_score(Y_TRUE, Y_SCORE, discount=lambda rank: 1 / rank), float)
    dcg_score(Y_TRUE, Y_SCORE, gain="exponental")  # type: ignore[arg-type]
    dcg_score(Y_TRUE, Y_SCORE, discount="Log")  # type: ignore[call-overload]
    ndcg_score(Y_TRUE, Y_SCORE, gain="exponental")  # type: ignore[arg-type]
    ndcg_score(Y_TRUE, Y_SCORE, k=[1, 3], gain="Linear")  # type: ignore[arg-type]
    ndcg_score(Y_TRUE, Y_SCORE, discount="log2")  # type: ignore[call-overload]

    a, b = [0.1, 0.2], [0.1, 0.4]
    tests = ranking_scores.significance
    tests.confidence_interval(a, method="bca")
    tests.confidence_interval(a, method="BCa")  # type: ignore[arg-type]
    tests.compare(a, b, test="wilcoxon", alternative="less")
    tests.compare(a, b, test="wilcoxen")  # type: ignore[arg-type]
    tests.compare(a, b, alternative="smaller")  # type: ignore[arg-type]
    tests.compare_all({"a": a, "b": b}, test="t", correction="holm", family="all")
    tests.compare_all({"a": a, "b": b}, test="student")  # type: ignore[arg-type]
    tests.compare_all({"a": a, "b": b}, alternative="both")  # type: ignore[arg-type]
    tests.compare_all({"a": a, "b": b}, correction="bonferroni")  # type: ignore[arg-type]
    tests.compare_all({"a": a, "b": b}, family="metrics")  # type: ignore[arg-type]
    tests.queries_needed(a, b, difference=0.1, correction="bh")  # type: ignore[arg-type]
    tests.power_curve([10], a, b, alternative="more")  # type: ignore[arg-type]

    report = ranking_scores.ranking_report(Y_TRUE, Y_SCORE)
    tests.changes(report, report, queries="both", test="permutation")
    tests.changes(report, report, queries="shared")  # type: ignore[arg-type]
    tests.changes(report, report, test="T")  # type: ignore[arg-type]
    ranking_scores.gates.check(report, at_least=0.5, rule="surely worse", undecided="pass")
    ranking_scores.gates.check(report, at_least=0.5, rule="worse")  # type: ignore[arg-type]
    ranking_scores.gates.check(report, at_least=0.5, undecided="skip")  # type: ignore[arg-type]

    relevant, found = [["x"]], [["x", "y"]]
    ranking_scores.from_lists(relevant, found, queries="both", duplicates="best")
    ranking_scores.from_lists(relevant, found, queries="any")  # type: ignore[arg-type]
    ranking_scores.from_lists(relevant, found, duplicates="first")  # type: ignore[arg-type]
    ranking_scores.retrieved_from_ids([[0]], n_items=1, duplicates="no")  # type: ignore[arg-type]
    ranking_scores.trec.from_pytrec_eval(QREL, RUN, queries="any")  # type: ignore[arg-type]
    ranking_scores.testing.expected("mrr", [0], [1], average="mean")  # type: ignore[arg-type]
