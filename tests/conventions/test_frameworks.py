"""What recommender and retrieval frameworks answer, as recorded in data, and our words for it."""

from __future__ import annotations

import importlib.metadata
import json
from functools import partial
from importlib.util import find_spec

import make_framework_numbers as numbers
import numpy as np
import pytest

from ranking_scores import (
    dcg_score,
    hit_rate_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    precision_at_k_score,
    recall_at_k_score,
)
from ranking_scores.tables import from_tables

RECORDED = json.loads(numbers.PATH.read_text(encoding="utf-8"))
TOLERANCE = {"BEIR": 6e-6, "TF-Ranking": 1e-6, "torchrec": 1e-6}  # rounded; float32
MAP_OF_ACHIEVABLE = partial(mean_average_precision_score, denominator="achievable")
RECALL_OF_ACHIEVABLE = partial(recall_at_k_score, denominator="achievable")
EXPONENTIAL = partial(ndcg_score, gain="exponential")


def as_columns(table, value):
    """Return the columns of a table."""
    rows = [(user, item, each) for user, row in table.items() for item, each in row.items()]
    return dict(zip(("user", "item", value), map(list, zip(*rows, strict=True)), strict=True))


def joined(score, grades, predictions, k, queries="judged", label=None, **params):
    """Return a score of two tables, by default with a label of 1 for each relevant item."""
    tables = as_columns(grades, "grade"), as_columns(predictions, "score")
    data = from_tables(
        *tables, query="user", item="item", label=label, score="score", queries=queries
    )
    return score(data.y_true, data.y_score, k=k, **params)


def predicted(score, grades, predictions, k, **params):
    """Return a score of the predicted items alone."""
    return score(*numbers.dense(grades, predictions), k=k, **params)


def ndcg_over_k(y_true, y_score, k):
    """Return the mean DCG, over that of k relevant items."""
    return dcg_score(y_true, y_score, k=k) / dcg_score(np.ones((1, k)), np.ones((1, k)))


def precision_of_implicit(y_true, y_score, k):
    """Return the hits of all queries, over the hits that they could have."""
    weight = np.minimum(np.asarray((y_true > 0).sum(axis=1)).ravel(), k)
    return RECALL_OF_ACHIEVABLE(y_true, y_score, k=k, sample_weight=weight)


def flat_at_two(rank):
    """Return the discount of LensKit."""
    return 1 / np.maximum(np.log2(rank), 1)


OF_USERS_WITH_BOTH = partial(joined, queries="both")
OF_PREDICTED_USERS = partial(joined, queries="all", replace_undefined_by=0.0)
RECIPES = {
    "RecTools": {
        "NDCG": partial(joined, ndcg_over_k),
        "NDCG, divide_by_achievable": partial(joined, ndcg_score),
        "MAP": partial(joined, mean_average_precision_score),
        "MRR": partial(joined, mean_reciprocal_rank_score),
        "Precision": partial(joined, precision_at_k_score),
        "Recall": partial(joined, recall_at_k_score),
        "HitRate": partial(joined, hit_rate_score),
    },
    "implicit": {
        "ndcg": partial(joined, ndcg_score),
        "map": partial(joined, MAP_OF_ACHIEVABLE),
        "precision": partial(joined, precision_of_implicit),
        "auc": None,
    },
    "RePlay": {
        "NDCG": partial(joined, ndcg_score),
        "MAP": partial(joined, MAP_OF_ACHIEVABLE),
        "MRR": partial(joined, mean_reciprocal_rank_score),
        "Precision": partial(joined, precision_at_k_score),
        "Recall": partial(joined, recall_at_k_score),
        "HitRate": partial(joined, hit_rate_score),
        "RocAuc": None,
    },
    "recommenders": {
        "ndcg_at_k": partial(joined, ndcg_score),
        "ndcg_at_k, raw": partial(joined, ndcg_score, label="grade"),
        "ndcg_at_k, exp": partial(joined, EXPONENTIAL, label="grade"),
        "map": partial(OF_USERS_WITH_BOTH, mean_average_precision_score),
        "map_at_k": partial(OF_USERS_WITH_BOTH, MAP_OF_ACHIEVABLE),
        "precision_at_k": partial(OF_USERS_WITH_BOTH, precision_at_k_score),
        "recall_at_k": partial(OF_USERS_WITH_BOTH, recall_at_k_score),
        "r_precision_at_k": None,
    },
    "Evidently": {
        name: partial(predicted, score, replace_undefined_by=np.nan)
        for name, score in {
            "NDCG": partial(ndcg_score, gain=np.sign),
            "MAP": mean_average_precision_score,
            "MRR": mean_reciprocal_rank_score,
            "PrecisionTopK": precision_at_k_score,
            "RecallTopK": recall_at_k_score,
            "HitRate": hit_rate_score,
        }.items()
    }
    | {"MAP, rows unsorted": None},
    "LensKit": {
        "NDCG": partial(joined, ndcg_score, discount=flat_at_two),
        "NDCG, gain='rating'": partial(joined, ndcg_score, label="grade", discount=flat_at_two),
        "AveragePrecision": partial(joined, MAP_OF_ACHIEVABLE),
        "RecipRank": partial(joined, mean_reciprocal_rank_score),
        "Precision": partial(OF_PREDICTED_USERS, precision_at_k_score),
        "Recall": partial(joined, RECALL_OF_ACHIEVABLE),
        "Hit": partial(joined, hit_rate_score),
    },
    "RecBole": {
        "NDCG": partial(joined, ndcg_score),
        "MAP": partial(joined, MAP_OF_ACHIEVABLE),
        "MRR": partial(joined, mean_reciprocal_rank_score),
        "Precision": partial(joined, precision_at_k_score),
        "Recall": partial(joined, recall_at_k_score),
        "Hit": partial(joined, hit_rate_score),
    },
    "BEIR": {
        "NDCG": partial(OF_USERS_WITH_BOTH, ndcg_score, label="grade"),
        "MAP": partial(OF_USERS_WITH_BOTH, mean_average_precision_score),
        "P": partial(OF_USERS_WITH_BOTH, precision_at_k_score),
        "Recall": partial(OF_USERS_WITH_BOTH, recall_at_k_score),
        "MRR": partial(joined, mean_reciprocal_rank_score),
        "R_cap": partial(joined, RECALL_OF_ACHIEVABLE),
        "Accuracy": partial(joined, hit_rate_score),
    },
    "sentence-transformers": {
        "ndcg": partial(joined, ndcg_score),
        "map": partial(joined, MAP_OF_ACHIEVABLE),
        "mrr": partial(joined, mean_reciprocal_rank_score),
        "precision": partial(joined, precision_at_k_score),
        "recall": partial(joined, recall_at_k_score),
        "accuracy": partial(joined, hit_rate_score),
    },
    "Spark": {
        "ndcgAt": partial(OF_PREDICTED_USERS, ndcg_score),
        "meanAveragePrecisionAt": partial(OF_PREDICTED_USERS, MAP_OF_ACHIEVABLE),
        "precisionAt": partial(OF_PREDICTED_USERS, precision_at_k_score),
        "recallAt": partial(OF_PREDICTED_USERS, recall_at_k_score),
        "meanAveragePrecision": partial(OF_PREDICTED_USERS, mean_average_precision_score),
    },
    "TF-Ranking": {
        "NDCGMetric": partial(predicted, EXPONENTIAL),
        "MeanAveragePrecisionMetric": partial(predicted, mean_average_precision_score),
        "MRRMetric": partial(predicted, mean_reciprocal_rank_score),
        "PrecisionMetric": partial(predicted, precision_at_k_score),
        "RecallMetric": partial(predicted, recall_at_k_score),
        "HitsMetric": partial(predicted, hit_rate_score),
    },
    "torchrec": {
        "NDCG": partial(predicted, ndcg_score),
        "NDCG, exponential_gain": partial(predicted, EXPONENTIAL),
    },
}
"""What gives the number of each metric; None where nothing does."""

WITHOUT_AN_ANSWER = {("LensKit", "unjudged", "AveragePrecision")}  # ZeroDivisionError


def without_predicted(framework, case):
    """Return whether the users of a case without predictions are left out, as by LensKit."""
    return framework == "LensKit" and case == "unserved"


@pytest.mark.parametrize("case", numbers.CASES)
@pytest.mark.parametrize("name", RECIPES)
def test_the_words_of_the_page_give_the_recorded_numbers(name, case):
    grades, predictions = (
        numbers.of_case(case, RECORDED[table]) for table in ("grades", "predictions")
    )
    if without_predicted(name, case):
        grades = {user: row for user, row in grades.items() if user in predictions}
    means = RECORDED["frameworks"][name]["means"][case]
    assert means.keys() == (RECIPES[name].keys() if means else set())
    near = partial(pytest.approx, rel=0, abs=TOLERANCE.get(name, 1e-11))
    for metric, by_cutoff in means.items():
        for k, mean in by_cutoff.items():
            recipe = RECIPES[name][metric]
            if mean is None:
                assert (name, case, metric) in WITHOUT_AN_ANSWER
            elif recipe is not None:
                ours = recipe(grades, predictions, None if k == "None" else int(k))
                assert ours == near(mean), (metric, k)


def test_the_page_names_the_versions_that_were_run():
    page = (numbers.PATH.parents[2] / "doc" / "moving.rst").read_text(encoding="utf-8")
    assert RECORDED["frameworks"].keys() == RECIPES.keys()
    for name, recorded in RECORDED["frameworks"].items():
        assert f"{name} {recorded['version']}" in page
        assert recorded["date"].startswith("2026-11-")
    assert "run in November 2026" in page


@pytest.mark.slow
@pytest.mark.parametrize("framework", numbers.FRAMEWORKS, ids=lambda framework: framework.name)
def test_an_installed_framework_still_answers_what_is_recorded(framework):
    recorded = RECORDED["frameworks"][framework.name]
    is_installed = find_spec(framework.ask.__name__) is not None
    if (
        not is_installed
        or importlib.metadata.version(framework.distribution) != recorded["version"]
    ):
        pytest.skip(f"{framework.name} {recorded['version']} is not installed")
    for case in numbers.CASES:
        tables = (numbers.of_case(case, RECORDED[table]) for table in ("grades", "predictions"))
        for metric, by_cutoff in framework.ask(*tables).items():
            assert by_cutoff == pytest.approx(recorded["means"][case][metric], nan_ok=True)
