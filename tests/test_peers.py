"""What other libraries answer, as recorded in data/peer_numbers.json, and how to match it here."""

from __future__ import annotations

import json
from importlib.util import find_spec

import make_peer_numbers
import numpy as np
import pytest

from ranking_scores import ndcg_score

RECORDED = json.loads(make_peer_numbers.PATH.read_text(encoding="utf-8"))
TOLERANCE = {"float64": 1e-12, "float32": 1e-6}  # the precision a library works in
RUNS = [
    pytest.param(peer, case, run, id=f"{name}-{case}-{number}")
    for name, peer in RECORDED["peers"].items()
    for case, result in peer["results"].items()
    for number, run in enumerate(result["runs"])
]


def ours(case, run):
    """Return the score of each query, and the mean, with the keywords that match a run."""
    y_true, y_score = (np.array(RECORDED["cases"][case][name]) for name in ("y_true", "y_score"))
    if "order" in run:
        y_true, y_score = y_true[:, run["order"]], y_score[:, run["order"]]
    if run["tie_order"] == "earlier_first":
        y_true, y_score = y_true[:, ::-1], y_score[:, ::-1]
    params = {
        "k": run["k"],
        "gain": run["gain"],
        "ignore_ties": run["tie_order"] in ("earlier_first", "later_first"),
        "replace_undefined_by": np.nan
        if run["replace_undefined_by"] is None
        else run["replace_undefined_by"],
    }
    return (
        ndcg_score(y_true, y_score, average=None, **params),
        ndcg_score(y_true, y_score, **params),
    )


@pytest.mark.parametrize(("peer", "case", "run"), RUNS)
def test_recorded_numbers(peer, case, run):
    per_query, mean = ours(case, run)
    if run["deterministic"]:
        tolerance = TOLERANCE[peer["precision"]]
        assert mean == pytest.approx(run["mean"], rel=tolerance, abs=tolerance)
        if not np.isnan(per_query).any():
            assert per_query == pytest.approx(run["per_query"], rel=tolerance, abs=tolerance)
    else:  # a new order of the ties in every call, of which ours is the expected value
        assert run["tie_order"] == "random"
        assert run["n_distinct"] > 1
        assert run["min"] < mean < run["max"]


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
                assert answer["mean"] == pytest.approx(recorded["mean"], rel=1e-6)
