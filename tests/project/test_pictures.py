"""The drawings of the guide: that of the README is up to date, and they say what is true."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ranking_scores import dcg_score, ndcg_score

DOC = Path(__file__).parents[2] / "doc"
ROUNDED = 0.05  # the table has two or three digits
PHONE, READABLE = 342, 10  # pixels: the text column of a phone, and the smallest font


@pytest.fixture
def pictures(monkeypatch):
    """Return the package that draws, which is beside the pages."""
    monkeypatch.syspath_prepend(str(DOC))
    import pictures

    return pictures


def words_of(svg):
    """Return all texts of a drawing."""
    return [element.text for element in ElementTree.fromstring(svg).iter() if element.text]


def test_the_pictures_of_the_readme_are_what_is_drawn(pictures):
    for name, path in pictures.OF_README.items():
        assert path.read_text(encoding="utf-8") == pictures.for_readme(name)


def test_the_pictures_of_the_readme_can_be_read_on_a_phone(pictures):
    for name in pictures.OF_README:
        picture = pictures.draw(name)
        sizes = re.findall(r'font-size="([\d.]+)"', picture.to_svg())
        assert min(map(float, sizes)) * PHONE / picture.width > READABLE, name


def test_every_drawing_is_listed_and_can_be_read(pictures):
    modules = {path.stem for path in DOC.glob("pictures/*.py")}
    assert modules - {"__init__", "__main__", "gallery", "svg"} == set(pictures.NAMES)
    for name in pictures.NAMES:
        picture = pictures.draw(name)
        used = set(re.findall(r'class="([^"]+)"', "\n".join(picture.elements)))
        used = {each.removeprefix("by-") for names in used for each in names.split()}
        assert used - {"code", "none"} <= set(pictures.svg.COLOURS)
        ElementTree.fromstring(picture.to_svg())


def test_six_libraries_are_drawn_beside_our_score(pictures):
    texts = words_of(pictures.draw("six_libraries").to_svg())
    expected = ndcg_score([[0, 2, 1, 0, 0, 3]], [[5, 5, 5, 2, 2, 1]], k=3)
    assert f"ranking_scores: {expected:.4f}" in texts
    assert texts.count("0.3425 to 0.5525") == 2


def test_the_expected_gain_that_is_drawn_is_ours(pictures):
    texts = words_of(pictures.draw("expected_gain").to_svg())
    query = [[0, 2, 1, 0, 0, 3]], [[5, 5, 5, 2, 2, 1]]
    dcg, ndcg = dcg_score(*query, k=3), ndcg_score(*query, k=3)
    assert f"expected DCG@3 = {dcg:.4f}" in texts
    assert any(text.endswith(f" = {ndcg:.4f}") and "nDCG@3" in text for text in texts)


def test_the_benchmarks_are_drawn_as_they_are_written(pictures):
    from pictures.benchmarks import MEASURED, rows

    text = MEASURED.read_text(encoding="utf-8")
    assert len(rows()) == 12
    for row in rows():
        pattern = r"\s+".join(map(re.escape, row[:4])) + rf"\s+{row.factor:g}x\n"
        assert re.search(pattern, text)
        ratio = float(row.theirs) / float(row.ours)
        assert row.factor == pytest.approx(ratio, rel=ROUNDED)
    assert any(row.factor < 1 for row in rows())


def test_the_layouts_that_are_drawn_have_the_same_scores(pictures):
    from pictures.layouts import LABELS, RELEVANT, SCORES

    qid = [row for row, labels in enumerate(LABELS) for _ in labels]
    rows = ([*chain.from_iterable(each)] for each in (LABELS, SCORES))
    ragged = ndcg_score(*rows, qid=qid, average=None)
    dense = [ndcg_score([each], [score]) for each, score in zip(LABELS, SCORES, strict=True)]
    assert ragged.tolist() == dense
    assert all(len(row) == 6 for row in RELEVANT)
