"""Fixtures of the command line: a folder with files, and calls of the command in this process."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from command_data import FOUND, JUDGED, QRELS, RUN

from ranking_scores.__main__ import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with judgments and runs."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "qrels": QRELS,
        "run": RUN,
        "judged.csv": JUDGED,
        "stars.csv": JUDGED.replace("grade", "thumbs"),
        "found.csv": FOUND,
    }.items():
        Path(name).write_text(text, encoding="utf-8")


@pytest.fixture
def call(capsys):
    """Return a function from a command line to its status, its output and its errors."""

    def call(line, *more):
        status = main([*shlex.split(line), *more])
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def refuse(call):
    """Return a function from a command line to the one line that it ends with."""

    def refuse(line):
        status, output, errors = call(line)
        assert (status, output) == (2, "")
        [error] = errors.splitlines()
        assert error.startswith("ranking-scores: error: ")
        return error.removeprefix("ranking-scores: error: ")

    return refuse


@pytest.fixture
def means(call):
    """Return a function from a command line to the mean of each score."""

    def means(line):
        status, output, errors = call(f"{line} --format json")
        assert status == 0, errors
        return {record["score"]: record["mean"] for record in json.loads(output)}

    return means
