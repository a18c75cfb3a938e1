"""ranx's functions over our reports and comparisons."""

from __future__ import annotations

import json
import types

import pandas as pd
import pytest

from ranking_scores import from_lists, ranking_report
from ranking_scores.compat import ranx
from ranking_scores.compat.ranx import compare, evaluate
from ranking_scores.conventions import like
from ranking_scores.exceptions import InvalidParameterError

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1}}
RUN = {"q1": {"b": 0.5, "c": 0.5, "a": 0.25}, "q2": {"a": 0.5, "b": 0.5}, "q3": {"c": 1.0}}
OTHER = {"q1": {"a": 0.5}, "q2": {"b": 0.5, "a": 0.25}, "q3": {"a": 1.0, "c": 0.5}}
METRICS = ["ndcg@2", "mrr", "r-precision", "map@5"]


def table_of(dicts, value):
    """Return a frame with a row for each document of each query."""
    rows = [(query, item, own[item]) for query, own in dicts.items() for item in own]
    return pd.DataFrame(rows, columns=["q_id", "doc_id", value])


def file_of(dicts, path, form):
    """Write a line for each document of each query, and return the path."""
    lines = [form.format(q, item, own[item]) for q, own in dicts.items() for item in own]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def expected_report():
    return ranking_report(from_lists(QRELS, RUN), scores=METRICS, k=None)


def test_dicts_frames_files_and_objects_of_ranx_are_taken(tmp_path):
    names = [tmp_path / "qrels.json", str(tmp_path / "run.json")]
    for path, content in zip(names, (QRELS, RUN), strict=True):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
    judged, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    trec = file_of(QRELS, judged, "{} 0 {} {}"), str(file_of(RUN, run, "{} Q0 {} 1 {} run"))
    own = type("Run", (), {"__module__": "ranx.data_structures.run", "to_dict": lambda self: RUN})
    qrels = types.new_class("Qrels", (own,), exec_body=lambda body: body.update(_of(QRELS)))
    forms = [(QRELS, RUN), (table_of(QRELS, "label"), table_of(RUN, "score")), names, trec]
    for given in (*forms, (qrels(), own())):
        expected = dict(zip(METRICS, expected_report().values(), strict=True))
        assert dict(evaluate(*given, METRICS)) == expected


def _of(dicts):
    return {"__module__": "ranx.data_structures.qrels", "to_dict": lambda self: dicts}


def test_its_names_are_listed():
    assert dir(ranx) == ["compare", "evaluate"]


def test_names_that_only_ranx_has_are_its_measures():
    names = ["ndcg_burges@2", "hits@1", "map@2-l2", "rbp.95"]
    report = evaluate(QRELS, RUN, names)
    data = from_lists(QRELS, RUN)
    assert dict(report) == {name: like("ranx", name)(data) for name in names}
    assert dict(evaluate(QRELS, RUN, "hits@1")) == {"hits@1": report["hits@1"]}


def test_names_without_a_cutoff_are_about_the_whole_list():
    data, names = from_lists(QRELS, RUN), ["precision", "f1", "hit_rate"]
    expected = {name: like("ranx", name)(data) for name in names}
    assert dict(evaluate(QRELS, RUN, names)) == expected


def test_an_unknown_name_is_refused():
    with pytest.raises(InvalidParameterError, match="'ndgc"):
        evaluate(QRELS, RUN, ["ndgc"])


def test_runs_are_compared_by_their_names(tmp_path):
    path = file_of(OTHER, tmp_path / "other.txt", "{} Q0 {} 1 {} run")
    named = type(
        "Run", (), {"__module__": "ranx.run", "to_dict": lambda self: RUN, "name": "mine"}
    )
    judged = file_of(QRELS, tmp_path / "qrels.txt", "{} 0 {} {}")
    for runs, qrels, names in (
        ([named(), OTHER], QRELS, ("mine", "run 2")),
        ({"one": RUN, "two": OTHER}, QRELS, ("one", "two")),
        ([table_of(RUN, "score"), path], judged, ("run 1", str(path))),
    ):
        found = compare(qrels, runs, METRICS)
        assert (found.systems_a[0], found.systems_b[0]) == names
        assert found.metrics[0] == "ndcg@2"
