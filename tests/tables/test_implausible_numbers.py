"""What no label or score is likely to be: times as labels, and both swapped, lists too."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from raising import raises

from ranking_scores import from_lists, from_table, from_tables, mean_reciprocal_rank_score
from ranking_scores.__main__ import main

NAMES = {"query": "q", "item": "i", "label": "l", "score": "s"}
GRADES = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
FOUND = {"q1": {"x": 0.9, "a": 0.75}, "q2": {"d": 0.8, "c": 0.35}}
TIMES = {"q1": {"a": 881250949, "b": 881250955}, "q2": {"c": 891717742}}


def as_pairs(lists):
    return {query: [*map(list, row.items())] for query, row in lists.items()}


def as_records(lists, number):
    return {
        query: [{"id": each, number: own} for each, own in row.items()]
        for query, row in lists.items()
    }


def as_table(lists, number):
    rows = [(query, *pair) for query, row in lists.items() for pair in row.items()]
    return pd.DataFrame(rows, columns=["q", "i", number])


def by_all_doors(grades, found):
    """Return calls that join grades and scores, and the parameters that errors name."""
    yield lambda: from_lists(grades, found), "relevant", "retrieved"
    yield lambda: from_lists(as_pairs(grades), as_pairs(found)), "relevant", "retrieved"
    records = as_records(grades, "grade"), as_records(found, "score")
    yield lambda: from_lists(*records), "relevant", "retrieved"
    lists = [list(row) for row in found.values()]
    scores = [list(row.values()) for row in found.values()]
    yield (
        lambda: from_lists(list(grades.values()), lists, item_scores=scores),
        "relevant",
        "retrieved",
    )
    tables = as_table(grades, "l"), as_table(found, "s")
    yield lambda: from_tables(*tables, **NAMES), "judgments", "predictions"
    yield lambda: from_table(tables[0].merge(tables[1], how="outer"), **NAMES), "table", "table"


def test_labels_and_scores_that_are_swapped_are_refused():
    for call, _, of_scores in by_all_doors(FOUND, GRADES):
        with raises(of_scores, "scores that are no grades", advice="Are the two swapped?"):
            call()
    by_words = {q: {each: 7.3 * own for each, own in row.items()} for q, row in FOUND.items()}
    for call, _, of_scores in by_all_doors(by_words, GRADES):
        with raises(of_scores, "scores that are no grades", advice="Are the two swapped?"):
            call()
    for call, *_ in by_all_doors(GRADES, FOUND):
        assert mean_reciprocal_rank_score(call()) == 0.5
    above = {
        query: {each: own + 0.5 for each, own in row.items()} for query, row in GRADES.items()
    }
    for call, *_ in by_all_doors(FOUND, above):
        assert call().y_score.nnz == 3


def test_fractions_that_may_be_grades_are_not():
    """Quarters, and fractions that come often, are grades. Numbers above 5 are none."""
    few = {"q1": {"a": 0.3, "b": 0.3, "c": 0.7}, "q2": {"a": 0.7, "b": 0.3, "c": 0.3}}
    for grades in ({"q1": {"a": 0.25, "b": 0.5}, "q2": {"c": 1.0}}, few):
        from_lists(grades, GRADES)
        from_tables(as_table(grades, "l"), as_table(GRADES, "s"), **NAMES)
    high = {"q1": {"a": 7, "b": 6}, "q2": {"c": 7}}
    from_lists(FOUND, high)
    from_lists(FOUND, {"q1": ["a", "b"], "q2": ["c"]})
    from_lists({"q1": ["a", "b"], "q2": ["c"]}, GRADES)
    ranks = as_table(GRADES, "r")
    from_tables(as_table(FOUND, "l"), ranks, query="q", item="i", label="l", rank="r")


def test_the_command_refuses_files_that_are_swapped(tmp_path, capsys):
    paths = [tmp_path / "gold.json", tmp_path / "run.json"]
    for path, content in zip(paths, (FOUND, GRADES), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    assert main([*map(str, paths), "-m", "mrr"]) == 2
    assert "Are the two swapped?" in capsys.readouterr().err


def test_times_as_labels_are_refused():
    for call, of_labels, _ in by_all_doors(TIMES, FOUND):
        with raises(of_labels, "labels of up to 1000000", advice="Are they times?"):
            mean_reciprocal_rank_score(call(), k=1)
    some = {"q1": {"a": 881250949, "b": 0}, "q2": {"c": 891717742}}
    for call, *_ in by_all_doors(some, FOUND):
        assert mean_reciprocal_rank_score(call()) == 0.5


def test_times_in_columns_of_all_kinds():
    table = as_table(TIMES, "l")
    run = as_table(FOUND, "s")
    for values in (table["l"].to_numpy(), table["l"].astype(np.float32), table["l"].tolist()):
        judged = {"q": table["q"].tolist(), "i": table["i"].tolist(), "l": np.asarray(values)}
        with raises("judgments", "labels of up to", advice="Pass the column of labels as `label`"):
            from_tables(judged, run, **NAMES)


@pytest.mark.parametrize(
    ("keyword", "numbers", "note"),
    [
        ("score", [1, 2, 3, 4], "'n' rises from row to row in every query; the highest score"),
        ("score", [2, 1, 3, 4], None),
        ("rank", [2, 1, 2, 1], "'n' falls from row to row in every query; the lowest rank is the"),
        ("rank", [2, 3, 1, 2], "'n' has no rank 1 in 1 query"),
        ("rank", [1, 1, 1, 1], "all ranks in 'n' are equal, so that all items tie"),
        ("rank", [1, 2, 1, 2], None),
    ],
)
def test_an_unusual_order_of_rows_is_said(keyword, numbers, note):
    judged = {"query": ["q", "r"], "item": ["a", "a"], "label": [1, 1]}
    rows = {"query": ["q", "q", "r", "r"], "item": ["a", "b", "a", "b"], "n": numbers}
    names = {"query": "query", "item": "item", "label": "label", keyword: "n"}
    for data in (
        from_tables(judged, rows, **names),
        from_table(rows | {"label": [1, None, 1, None]}, **names),
    ):
        said = [own for own in data.notes if "'n'" in own]
        assert len(said) >= (note is not None)
        assert note is None or any(note in own for own in said)
        assert note is not None or not said


RUN = {"q1": ["a", "b", "c"], "q2": ["d", "e", "f"], "q3": ["g", "h", "i"]}
LISTS = {"q1": ["b"], "q2": ["d", "x"], "q3": ["i"]}
LISTS_SWAPPED = "Each list of {} has 3 ids, and the lists of {} have fewer, and not equally many"


def test_lists_of_ids_that_are_swapped_are_warned_of():
    for change in (dict, lambda lists: list(lists.values())):
        with pytest.warns(UserWarning, match=LISTS_SWAPPED.format("relevant", "retrieved")):
            from_lists(change(RUN), change(LISTS))
        from_lists(change(LISTS), change(RUN))


@pytest.mark.parametrize(
    ("relevant", "retrieved"),
    [
        (RUN | {"q3": [*"ghij"]}, LISTS),  # judgments of several lengths
        (RUN, {query: row[:1] for query, row in LISTS.items()}),  # cut at rank 1
        (RUN, LISTS | {"q2": [*"dxy"]}),  # one list is as long
        ({"q1": RUN["q1"]}, {"q1": LISTS["q1"]}),
        (RUN, {query: [(each, 1.0) for each in row] for query, row in LISTS.items()}),
        (RUN, {query: dict.fromkeys(row, 1.0) for query, row in LISTS.items()}),
        (as_records(GRADES, "grade"), {"q1": ["a"], "q2": []}),
    ],
)
def test_lists_that_may_be_right_are_silent(relevant, retrieved):
    from_lists(relevant, retrieved)


def test_the_command_warns_of_lists_that_are_swapped(tmp_path, capsys):
    paths = [tmp_path / "gold.json", tmp_path / "run.json"]
    for path, content in zip(paths, (RUN, LISTS), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    assert main([*map(str, paths), "-m", "mrr"]) == 0
    assert LISTS_SWAPPED.format("judgments", "predictions") in capsys.readouterr().err
