"""The scripts that show surprises of other programs: their form, and the table of the guide.

They install what they show, so that no test runs them.
"""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "findings").iterdir())
FIELDS = ("Version", "Expected", "Does", "Seen")


def head_of(text):
    """Return the title and the fields of the comments on top, each as one line."""
    comments, _, _ = text.partition("\nset -euo pipefail\n")
    shebang, comments = comments.split("\n", 1)
    assert shebang == "#!/usr/bin/env bash"
    title, fields = re.sub(r"^# ?", "", comments, flags=re.M).split("\n\n")
    parts = re.split(r"^(\w+):", fields, flags=re.M)[1:]
    values = [" ".join(value.split()) for value in parts[1::2]]
    return " ".join(title.split()), dict(zip(parts[::2], values, strict=True))


def rows():
    """Return the rows of the table of the guide by the name of their script."""
    with (ROOT / "doc" / "surprises.csv").open(encoding="utf-8", newline="") as file:
        titles, *rows = csv.reader(file)
    assert titles == ["Program", "Guess", "Does", "Seen"]
    by_script = {re.fullmatch(r"(\S+), ``(\S+)``", row[3])[2]: row for row in rows}
    assert len(by_script) == len(rows)
    return by_script


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_finding_says_what_was_seen_and_checks_it(path):
    text = path.read_text(encoding="utf-8")
    title, fields = head_of(text)
    program, _, surprise = title.partition(": ")
    assert program
    assert surprise
    assert tuple(fields) == FIELDS
    assert re.match(r"\d{4}-\d\d-\d\d: .", fields["Seen"])
    assert os.name != "posix" or os.access(path, os.X_OK)
    _, _, install = text.partition("pip install --quiet ")
    install, _, _ = install.replace("\\\n", " ").partition("\n")
    packages = [word for word in install.split() if word not in ("--only-binary", ":all:")]
    assert packages
    for package in packages:
        assert re.fullmatch(r"[\w-]+==\d[\w.]*", package), f"pin {package}"
    named = re.findall(r"([\w-]+) (\d[\w.]*\w)(?=,|$)", fields["Version"])
    assert named
    assert {"==".join(each) for each in named} <= {*packages}
    assert "folder=$(mktemp -d)\ntrap 'rm -rf \"$folder\"' EXIT\n" in text
    assert "ranking_scores" not in text
    cat, compare, *expected, end = text[text.index('\ncat "$folder/seen"') + 1 :].splitlines()
    assert (cat, compare) == ('cat "$folder/seen"', "diff \"$folder/seen\" - <<'END'")
    assert any(expected)
    assert end == "END"


def test_each_finding_has_a_row_in_the_guide():
    heads = {path.name: head_of(path.read_text(encoding="utf-8")) for path in SCRIPTS}
    assert rows().keys() == heads.keys()
    for name, (program, *_, seen) in rows().items():
        title, fields = heads[name]
        date, _, _ = seen.partition(",")
        assert fields["Seen"].startswith(f"{date}: ")
        assert program.split(" ")[0] in title
        for version in re.findall(r"\d[\w.]+", program):
            assert version in fields["Version"], name
