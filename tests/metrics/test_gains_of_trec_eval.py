"""The gains that trec_eval reads from the name of its nDCG.

The numbers are those of trec_eval 10.0-rc3: `trec_eval -q -m ndcg.1=0,2=9,4=16 qrels run`.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from ranking_scores import from_lists
from ranking_scores.__main__ import main
from ranking_scores.conventions import like
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain._words import knob_in_words

JUDGED = {
    "q1": {"a": 2, "b": 1, "c": 0, "d": 3, "h": 2, "f": 4},
    "q2": {"a": 1, "b": 3, "c": 3},
}
FOUND = {"q1": list("bcdeaf"), "q2": list("bax")}

ANSWERS = {
    "ndcg.1=0,2=9,4=16": [0.3888, 0.6131],
    "ndcg.1=0,2=1,3=2": [0.4540, 0.6131],
    "ndcg.7=3": [0.5771, 0.6733],
    "ndcg.0=0,1=0,2=0.01,3=0.1,4=1": [0.3824, 0.6131],
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("program", ["trec_eval", "trec_eval 10"])
def test_gains_in_a_name_are_those_of_trec_eval(program: str, name: str) -> None:
    score = like(program, name)
    assert score.name == f"{program}:{name}"
    values = score(from_lists(JUDGED, FOUND), average=None)
    assert values == pytest.approx(ANSWERS[name], abs=5e-5)


def test_gains_may_be_an_option() -> None:
    score = like("trec_eval", "ndcg", gains={1: 0, 2: 9, 4: 16})
    assert score == like("trec_eval", "ndcg.1=0,2=9,4=16")


def test_gains_of_labels_in_words() -> None:
    convention = like("trec_eval", "ndcg.1=0,2=9.5").convention
    assert knob_in_words("gain", convention) == "gains 0 of label 1, 9.5 of label 2"


def test_gains_that_trec_eval_does_not_sort_are_said() -> None:
    """trec_eval has .4970 for q1, whose ideal ends at the label 0."""
    with pytest.warns(UserWarning, match="less than 1 apart.*ndcg.0=0,1=0,2=0.01$"):
        score = like("trec_eval", "ndcg.1=0,2=0.01")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        in_order = like("trec_eval", "ndcg.0=0,1=0,2=0.01")
    data = from_lists(JUDGED, FOUND)
    assert score(data) == in_order(data) == pytest.approx(0.55468, abs=5e-5)


@pytest.mark.parametrize(
    "name", ["ndcg.1=x", "ndcg.1=-1", "ndcg.0=2", "ndcg.1=0,1=2", "ndcg.1=inf"]
)
def test_gains_that_are_none(name: str) -> None:
    with pytest.raises(InvalidParameterError, match="gains of at least 0 of labels above 0"):
        like("trec_eval", name)


def test_the_command_takes_gains_in_a_name(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "qrels").write_text("q 0 a 2\nq 0 b 1\n")
    (tmp_path / "run").write_text("q Q0 b 1 .9 s\nq Q0 a 2 .8 s\n")
    names = ["trec_eval:ndcg.1=0,2=3", "ndcg@10"]
    status = main([str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", *names])
    printed = capsys.readouterr().out
    assert status == 0
    assert "trec_eval:ndcg.1=0,2=3  0.6309" in printed
