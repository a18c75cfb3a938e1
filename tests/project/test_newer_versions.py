"""The script that names programs with a later release than the recorded one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ranking_scores.conventions import programs

sys.path.insert(0, str(Path(__file__).parents[1] / "data" / "programs"))
import newer_versions


def test_programs_with_a_later_release_are_named() -> None:
    recorded = {
        each.distribution: newer_versions.recorded_version(each)
        for each in newer_versions.released()
    }
    assert recorded["torchrec"] == "1.9.2"
    assert list(newer_versions.lines(newer_versions.released(), recorded.get)) == []
    # 1.10 is later than 1.9.2, though not as text, and 1.9.1 and a pre-release of 1.9.2 are not.
    for newest, is_named in (("1.10", True), ("1.9.2.post1", True), ("1.9.1", False)):
        found = newer_versions.lines(
            newer_versions.released(), (recorded | {"torchrec": newest}).get
        )
        line = f"torchrec: recorded at 1.9.2, and {newest} is released"
        assert list(found) == [line] * is_named
    [missing] = newer_versions.lines(newer_versions.released(), (recorded | {"ranx": None}).get)
    assert missing == "ranx: no release of ranx is found"


def test_recorded_versions_are_those_of_the_table() -> None:
    named = {
        json.loads(path.read_text())["program"] for path in newer_versions.HERE.glob("answers/*")
    }
    assert {each.name for each in newer_versions.released()} <= named
    versions = " ".join(program.version for program in programs().values())
    for each in newer_versions.released():
        assert newer_versions.recorded_version(each) in versions, each.name


def test_the_newest_release_is_read_from_what_pip_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(text: str) -> None:
        done = subprocess.CompletedProcess([], 0, text, "")
        monkeypatch.setattr(subprocess, "run", lambda *given, **options: done)

    said("ranx (0.3.21)\nAvailable versions: 0.3.21, 0.3.20\n")
    assert newer_versions.newest_release("ranx") == "0.3.21"
    said("")
    assert newer_versions.newest_release("ranx") is None
    said("ranx (0.3.22)\n")
    monkeypatch.setattr(sys, "argv", ["newer_versions.py", "ranx"])
    assert newer_versions.main() == 1
    said("ranx (0.3.21)\n")
    assert newer_versions.main() == 0
