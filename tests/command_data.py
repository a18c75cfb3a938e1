"""Judgments and runs of the command line in each format, and how its tests read and write more."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from ranking_scores.tables import from_tables
from ranking_scores.trec import read_qrels, read_run

QRELS = """\
301 0 a 1
301 0 b 0
301 0 c 2
302 0 a 0
302 0 d 1
303 0 e 0
"""
RUN = """\
301 Q0 a 1 7.5 tag
301 Q0 b 2 7.5 tag
301 Q0 x 3 2 tag
302 Q0 d 1 0.30000000000000004 tag
302 Q0 a 2 0.3 tag
304 Q0 a 1 1 tag
"""
JUDGED = "user,product,grade\n301,a,1\n301,b,0\n301,c,2\n302,a,0\n302,d,1\n303,e,0\n"
FOUND = "place,product,user,score\n1,a,301,7.5\n1,b,301,7.5\n3,x,301,2\n1,d,302,9\n2,a,302,8\n"
NAMES = ["--query", "user", "--item", "product"]
FORMS = "qrels: TREC's judgments; run: TREC's run"
"""What the files of these names are taken for, as the command says it."""
ORDER = "Did you swap two files? JUDGMENTS comes first, then each RUN."


def data_of(judgments="qrels", run="run", **params):
    judgments, predictions = read_qrels(judgments), read_run(run)
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    return from_tables(judgments, predictions, **names, **params)


def records_of(output):
    return {(each["run"], each.get("query"), each["score"]): each for each in json.loads(output)}


def below_forms(output):
    """Return text for people without its first line, which says what each file was taken for."""
    forms, rest = output.split("\n", 1)
    assert ": " in forms, output
    return rest.removeprefix("\n")


def write(name, text):
    """Write a file of text in the folder of a test."""
    Path(name).write_text(text, encoding="utf-8")


@contextmanager
def standard_input(path):
    """Have a file as the standard input."""
    before = os.dup(0)
    with open(path, "rb") as file:
        os.dup2(file.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


def write_parquet(name, **columns):
    """Write a Parquet file, or skip where nothing can."""
    pytest.importorskip("narwhals")
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), name)
