"""What programs answer if queries have weights, and what they answer about data as a whole."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from metrics.test_measure import as_data
from metrics.test_programs import DATA, FLOAT64
from raising import raises

from ranking_scores import ranking_report
from ranking_scores._metrics._measure import default_convention
from ranking_scores._metrics._programs import ProgramScore, programs
from ranking_scores.conventions import like
from ranking_scores.explain import explain_difference

sys.path.insert(0, str(DATA))
import weighted

RECORDED = json.loads(weighted.PATH.read_text(encoding="utf-8"))
ASKED = [(program, *answer) for program, entry in RECORDED.items() for answer in entry["answers"]]


def rows(labels: str) -> dict[str, Any]:
    """Return the weighted lists as rows."""
    grades, scores, sizes, weights = weighted.rows(weighted.case(), labels)
    return {
        "y_true": grades,
        "y_score": scores,
        "qid": np.repeat(range(len(sizes)), sizes),
        "sample_weight": np.repeat(weights, sizes),
    }


@pytest.mark.parametrize(("program", "measure", "labels", "answer"), ASKED)
def test_weighted_means_are_those_of_the_program(
    program: str, measure: str, labels: str, answer: float
) -> None:
    assert RECORDED[program]["version"] == programs()[program].version
    given, score = rows(labels), like(program, measure)
    assert score(**given) == pytest.approx(answer, rel=FLOAT64)
    y_true, y_score = given.pop("y_true"), given.pop("y_score")
    report = ranking_report(y_true, y_score, scores=[score.name], k=None, **given)
    assert report[score.name] == pytest.approx(answer, rel=FLOAT64)


QUERIES = {"y_true": [[0, 1], [0, 0]], "y_score": [[2, 1], [2, 1]]}


@pytest.mark.parametrize("measure", ["XGBoost:ndcg@2", "LightGBM:ndcg@2", "CatBoost:MAP@2"])
def test_weights_of_0_are_refused_where_such_a_query_counts(measure: str) -> None:
    score = like(*measure.split(":"))
    assert score(**QUERIES, sample_weight=[2, 2]) > 0
    with raises("sample_weight", "above 0, since some queries count there whatever"):
        score(**QUERIES, sample_weight=[2, 0])
    like("LightGBM", "map@2")(**QUERIES, sample_weight=[2, 0])


def test_equal_weights_are_weights_too() -> None:
    """The number is that of XGBoost 3.2.0 and LightGBM 4.7.0: the sum has 1, the divisor has 4."""
    ndcg = np.log(2) / np.log(3)
    for program in ("XGBoost", "LightGBM"):
        score = like(program, "ndcg@2")
        mean = score(**QUERIES, sample_weight=[2, 2])
        assert mean == pytest.approx((2 * ndcg + 1) / 4, rel=1e-15)
        assert score(**QUERIES) == pytest.approx((ndcg + 1) / 2, rel=1e-15)
        values = score(**QUERIES, sample_weight=[2, 4], average=None)
        assert values == pytest.approx([ndcg, 0.25], rel=1e-15)


def test_lists_of_allrank_depend_on_whether_any_has_a_relevant_item() -> None:
    """The numbers are those of allRank 1.4.3."""
    score = like("allRank", "mrr")
    assert score([[0, 0], [0, 0]], [[1, 2], [1, 2]], average=None).tolist() == [0, 0]
    assert score([[0, 0], [0, 0]], [[1, 2], [1, 2]]) == 0
    assert score([[0, 0], [1, 0]], [[1, 2], [1, 2]], average=None).tolist() == [1, 0.5]
    assert score([[0, 0], [1, 0]], [[1, 2], [1, 2]]) == 0.75


def test_the_first_k_of_an_auc_are_chosen_and_then_tie() -> None:
    """The number of torchmetrics 1.9.0 is 7 / 12, for an order of its own."""
    scores, auc = [[3, 4, 2, 3, 3, 4, 4, 1]], like("torchmetrics", "RetrievalAUROC@5")
    # In this order the first five have the scores 4, 4, 4, 3, 3.
    for labels, value in (([1, 0, 1, 1, 0, 1, 1, 0], 1 / 4), ([1, 0, 1, 0, 1, 1, 1, 0], 3.5 / 6)):
        with pytest.warns(UserWarning, match=r"The mean can be from 0.25 to 0.583333."):
            assert auc([labels], scores) == pytest.approx(value, rel=1e-15)
    # Without a cutoff, an order of ties is one of all items.
    whole = replace(auc.convention, k=None, ordered_to=None)
    strict = ProgramScore("a:b", whole)([labels], scores)
    assert strict != ProgramScore("a:b", replace(whole, ties="average"))([labels], scores)


def test_labels_below_0_are_no_judgments_in_bpref() -> None:
    """The numbers are those of pytrec_eval-terrier 0.5.11 and trectools 0.0.50."""
    two = as_data({"q": ({"a": -1, "b": 1}, [("a", 3.0), ("b", 1.0)])})
    assert like("trec_eval", "bpref")(two) == 1
    assert like("trectools", "get_bpref")(two) == 0
    found = [("a", 3.0), ("b", 2.0), ("c", 1.0), ("d", 0.0)]
    four = as_data({"q": ({"a": -1, "b": 1, "c": 0, "d": 1}, found)})
    for measure in ("trec_eval:bpref", "trectools:get_bpref"):
        assert like(*measure.split(":"))(four) == 0.5
    others = replace(default_convention("recall"), of_irrelevant=True)
    assert ProgramScore("a:b", others)([[-1, 1, 0, 0]], [[1, 2, 3, 0]]) == 1.5


def test_explanations_know_programs_that_weigh_queries() -> None:
    score = like("XGBoost", "ndcg@2")
    found = explain_difference(**QUERIES, value=score(**QUERIES), score=score)
    assert found.matches[0].steps == ()
    assert "XGBoost:ndcg@2" in found.matches[0].programs
