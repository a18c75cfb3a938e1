"""The script that writes the tables of other programs into the guide."""

from __future__ import annotations

import runpy
from dataclasses import fields
from pathlib import Path

import pytest

from ranking_scores._metrics._measure import Convention
from ranking_scores._metrics._programs import programs
from ranking_scores.explain import _words

DOC = Path(__file__).parents[2] / "doc"
written = runpy.run_path(str(DOC / "programs_table.py"))


def test_the_guide_has_the_tables_of_the_data(capsys):
    status = written["main"](["--check"])
    assert status == 0, capsys.readouterr().out


def test_a_table_that_differs_is_told_and_written(tmp_path, capsys):
    copy = tmp_path / "programs.inc"
    copy.write_text(written["PATH"].read_text("utf-8").replace("float32", "float16"), "utf-8")
    assert written["main"](["--check", str(copy)]) == 1
    assert "python doc/programs_table.py --write" in capsys.readouterr().out
    assert written["main"](["--write", str(copy)]) == 0
    assert copy.read_bytes() == written["PATH"].read_bytes()


@pytest.mark.parametrize("program", programs().values(), ids=lambda program: program.name)
def test_each_measure_is_in_the_tables(program):
    text = written["PATH"].read_text("utf-8")
    if program.measures:  # The others are in the list of what is not covered.
        assert f"`{program.name} <{program.source}>`__ {program.version}" in text
    for name in (*program.measures, *program.bugs):
        assert f"``{name}``" in text


def test_a_program_that_shuffles_is_not_said_to_average():
    rows = {row[0].split(" ")[0]: row[1] for row in written["rows_of_programs"]()}
    assert rows["`pytorchltr"] == "in a random order (here: the mean)"
    assert rows["`Keras"].startswith("in a random order (here: the mean); in the order of")
    assert rows["`scikit-learn"].startswith("averaged over all orders; ")
    shuffling = {each.name for each in programs().values() if each.shuffles_ties}
    assert shuffling == {"Keras RS", "TensorFlow Ranking", "pytorchltr"}


def test_each_knob_has_words():
    assert {*_words.KNOBS, "metric", "ordered_to"} == {field.name for field in fields(Convention)}


def test_what_differs_from_most_measures_follows_a_colon():
    variant, in_cell = written["Variant"], written["in_cell"]
    convention = Convention(metric="mrr", ties="earlier", scores="float32")
    other = Convention(metric="mrr", ties="best")
    variants = [
        variant("mrr", "", convention),
        variant("mrr", ";best=True", other),
        variant("rr", "", convention),
        variant("first", "", other),
    ]
    order = (
        "in the order of the predictions; by label, the highest first: ``best=True``, ``first``"
    )
    assert in_cell(variants, "ties") == order
    assert in_cell(variants, "scores") == "scores in float32 (not ``best=True``, ``first``)"
    assert in_cell(variants, "known") == ""
