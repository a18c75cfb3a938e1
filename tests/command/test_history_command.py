"""The option --history of the command."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from ranking_scores import ranking_report
from ranking_scores.significance import history

RNG = np.random.default_rng(6)
LABELS = RNG.integers(0, 3, (40, 9))
GOOD, BAD = LABELS + RNG.normal(size=(2, *LABELS.shape)) * np.array([0.5, 4])[:, None, None]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nights").mkdir()
    for name, each in {"1 < 2": GOOD, "3": BAD, "4": BAD}.items():
        report = ranking_report(LABELS, each, scores=["ndcg@3", "mrr@3"])
        report.to_json(tmp_path / "nights" / f"{name}.json")


def test_a_folder_of_reports_is_printed_as_in_python(call):
    found = history("nights", scores=["ndcg@3"], confidence_level=0.9)
    line = "--history nights --confidence 0.9 -m"
    assert call(f"{line} NDCG@3") == (0, f"{found!r}\n", "")
    assert call(f"{line} ndcg@3 --format markdown")[1] == f"{found.to_markdown()}\n"
    records = json.loads(call(f"{line} ndcg@3 --format json")[1])
    assert [record["report"] for record in records] == [*found.reports]
    assert [record["mean"] for record in records] == found.mean[:, 0].tolist()
    assert [record["difference"] for record in records] == [
        None,
        *found.difference[1:, 0].tolist(),
    ]
    assert [record["change"] for record in records] == ["", "worse", ""]
    assert [record["notes"] for record in records] == [[*found.notes]] * 3
    assert call("--history=nights -m ndcg@3,mrr@3")[1] == f"{history('nights')!r}\n"


def test_the_page_has_the_table_and_a_picture_with_the_intervals_of_each_score(call, tmp_path):
    assert call("--history nights --html page.html")[0] == 0
    page = (tmp_path / "page.html").read_text()
    found = history("nights")
    assert found._repr_html_() in page
    assert "1 &lt; 2.json" in page
    pictures = [ElementTree.fromstring(each) for each in re.findall("<svg.*?</svg>", page)]
    assert [each.get("aria-label") for each in pictures] == [
        "ndcg@3 over time",
        "mrr@3 over time",
    ]
    for picture in pictures:
        assert picture.find("polygon").get("points").count(",") == 6
        points = {
            tag: [
                tuple(map(float, point.split(",")))
                for point in picture.find(tag).get("points").split()
            ]
            for tag in ("polyline", "polygon")
        }
        assert len(points["polyline"]) == 3
        low, high = points["polygon"][:3], points["polygon"][:2:-1]
        for (x, below), (_, mean), (other, above) in zip(
            low, points["polyline"], high, strict=True
        ):
            assert below >= mean >= above  # y goes down
            assert x == other
    assert low[1][1] > high[1][1] + 10


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("--history nights --by x", "--history takes a folder, and of the options -m, "),
        ("--history none", "none: No such file or directory"),
        ("--history nights -m map", "-m must be names of results that all reports have: "),
        ("--history .", ". must be a folder with at least two saved reports. Got none"),
    ],
)
def test_what_goes_wrong_is_one_line(call, line, error):
    status, output, errors = call(line)
    assert (status, output) == (2, "")
    assert errors.startswith(f"ranking-scores: error: {error}")
