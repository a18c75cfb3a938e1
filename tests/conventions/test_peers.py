"""What other libraries answer, as recorded in data, and how to match it here."""

from __future__ import annotations

import json
from functools import partial
from importlib.util import find_spec

import make_peer_numbers
import make_recipe_numbers
import numpy as np
import pytest

from ranking_scores import (
    average_relevant_position,
    dcg_score,
    f1_at_k_score,
    hit_rate_score,
    mean_average_precision_score,
    ndcg_score,
    recall_at_k_score,
)

RECORDED = json.loads(make_peer_numbers.PATH.read_text(encoding="utf-8"))
TOLERANCE = {"float64": 1e-12, "float32": 1e-6}  # the precision a library works in
SCORES = {"ndcg": ndcg_score, "hit_rate": hit_rate_score, "arp": average_relevant_position}
RUNS = [
    pytest.param(peer, case, run, id=f"{name}-{case}-{number}")
    for name, peer in RECORDED["peers"].items()
    for case, result in peer["results"].items()
    for number, run in enumerate(result["runs"])
]


def near(number, tolerance):
    """What is equal to a recorded number; None, a refusal, only to None."""
    return None if number is None else pytest.approx(number, rel=tolerance, abs=tolerance)


def ours(case, run):
    """Return the score of each query, and the mean, with the keywords that match a run."""
    case = RECORDED["cases"][case]
    y_true, y_score = (np.array(case[name]) for name in ("y_true", "y_score"))
    where = np.arange(y_true.shape[1]) < np.array(make_peer_numbers.sizes_of(case))[:, None]
    if "order" in run:
        y_true, y_score, where = (array[:, run["order"]] for array in (y_true, y_score, where))
    if run["tie_order"] == "earlier_first":
        y_true, y_score, where = (array[:, ::-1] for array in (y_true, y_score, where))
    params = {
        "where": where,
        "ignore_ties": run["tie_order"] in ("earlier_first", "later_first"),
        "replace_undefined_by": np.nan
        if run["replace_undefined_by"] is None
        else run["replace_undefined_by"],
    }
    if run["metric"] != "arp":
        params["k"] = run["k"]
    if run["metric"] == "ndcg":
        params["gain"] = run["gain"]
    score = SCORES[run["metric"]]
    return score(y_true, y_score, average=None, **params), score(y_true, y_score, **params)


def expected(case, run):
    """Return the mean of the expected values over all orders of the ties."""
    fair = {**run, "tie_order": "averaged"}
    if run["metric"] == "arp":  # 0 would be better than any ranking
        fair["replace_undefined_by"] = None
    return ours(case, fair)[1]


@pytest.mark.parametrize(("peer", "case", "run"), RUNS)
def test_recorded_numbers(peer, case, run):
    per_query, mean = ours(case, run)
    tolerance = TOLERANCE[peer["precision"]]
    if not run["deterministic"]:  # a new order in every call; of the ties ours is the mean
        assert run["n_distinct"] > 1
        assert (run["min"] < mean < run["max"]) == run["reached"]
    elif run["reached"]:
        assert mean == near(run["mean"], tolerance)
        if not np.isnan(per_query).any():
            assert per_query == pytest.approx(run["per_query"], rel=tolerance, abs=tolerance)
    else:
        assert mean != near(run["mean"], tolerance)


@pytest.mark.parametrize(("peer", "case", "run"), RUNS)
def test_a_number_that_is_not_the_expected_value_has_its_reason(peer, case, run):
    mean = expected(case, run)
    tolerance = TOLERANCE[peer["precision"]]
    if mean == near(run["mean"], tolerance):
        assert "why" not in run
        assert "ours" not in run
    else:
        assert run["why"]
        assert mean == pytest.approx(run["ours"], rel=1e-12)


@pytest.mark.parametrize("peer", make_peer_numbers.PEERS, ids=lambda peer: peer.name)
def test_installed_peers_still_answer_what_is_recorded(peer):
    if find_spec(peer.module) is None:
        pytest.skip(f"{peer.name} is not installed")
    variants = list(peer.variants())
    for case, result in RECORDED["peers"][peer.name]["results"].items():
        answers = list(make_peer_numbers.runs_of(RECORDED["cases"][case], variants))
        assert len(answers) == len(result["runs"])
        for answer, recorded in zip(answers, result["runs"], strict=True):
            assert answer["deterministic"] == recorded["deterministic"]
            if recorded["deterministic"]:
                assert answer["mean"] == near(recorded["mean"], 1e-6)


# The recipes of the guide, for what is divided by other numbers elsewhere.


def ap_over_hits(y_true, y_score, k):
    """Return the mean of the average precisions, over the relevant items among the first k."""
    of_all, recall = (
        score(y_true, y_score, k=k, average=None)
        for score in (mean_average_precision_score, recall_at_k_score)
    )
    return np.divide(of_all, recall, out=np.zeros(recall.size), where=recall > 0).mean()


def ap_over_k(y_true, y_score, k):
    """Return the mean of the average precisions, over k."""
    per_query = mean_average_precision_score(y_true, y_score, k=k, average=None)
    return (per_query * y_true.sum(axis=1) / k).mean()


def ndcg_over_k(y_true, y_score, k):
    """Return the mean DCG, over that of k relevant items."""
    return dcg_score(y_true, y_score, k=k) / dcg_score(np.ones((1, k)), np.ones((1, k)))


def fall_out(y_true, y_score, k):
    """Return the mean share of the irrelevant items that are among the first k."""
    return recall_at_k_score(-y_true, y_score, k=k, relevance_threshold=0)


RECIPES = {
    "torchmetrics": {"RetrievalMAP": ap_over_hits, "RetrievalFallOut": fall_out},
    "rectools": {
        "MAP": mean_average_precision_score,
        "MAP, divide_by_k": ap_over_k,
        "NDCG": ndcg_over_k,
        "NDCG, divide_by_achievable": ndcg_score,
        "F1Beta": f1_at_k_score,
        "F1Beta, beta=2": partial(f1_at_k_score, beta=2),
    },
    "ranx": {"f1": f1_at_k_score},
}
OF_RECIPES = json.loads(make_recipe_numbers.PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("peer", RECIPES)
def test_the_recipes_give_the_recorded_numbers(peer):
    y_true, y_score = np.array(OF_RECIPES["y_true"]), np.array(OF_RECIPES["y_score"])
    means = OF_RECIPES["peers"][peer]["means"]
    assert means.keys() == RECIPES[peer].keys()
    for name, recipe in RECIPES[peer].items():
        for k, mean in means[name].items():
            ours = recipe(y_true, y_score, k=None if k == "None" else int(k))
            assert ours == near(mean, TOLERANCE["float32"]), (name, k)


@pytest.mark.parametrize("peer", RECIPES)
def test_installed_peers_still_answer_what_is_recorded_for_the_recipes(peer):
    if find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed")
    answers = make_recipe_numbers.PEERS[peer](OF_RECIPES["y_true"], OF_RECIPES["y_score"])
    for name, means in OF_RECIPES["peers"][peer]["means"].items():
        assert answers[name] == {k: near(mean, 1e-6) for k, mean in means.items()}
