"""The plot of scores over time."""

from __future__ import annotations

import numpy as np
import pytest
from raising import raises

from ranking_scores import ranking_report
from ranking_scores.plotting import HistoryDisplay
from ranking_scores.significance import history

pyplot = pytest.importorskip("matplotlib.pyplot")

RNG = np.random.default_rng(6)
LABELS = RNG.integers(0, 3, (40, 9))
GOOD, BAD = LABELS + RNG.normal(size=(2, *LABELS.shape)) * np.array([0.5, 4])[:, None, None]


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def history_of(nights):
    made = {
        name: ranking_report(LABELS, each, scores=["ndcg@3", "mrr@3"])
        for name, each in nights.items()
    }
    return history(made)


def test_each_score_has_a_line_a_band_and_marks_where_it_changed():
    found = history_of({"$mon$": GOOD, "tue": GOOD, "wed": BAD, "thu": BAD})
    display = HistoryDisplay(found).plot()
    ax = display.ax_
    assert display.figure_ is ax.figure
    assert [line.get_label() for line in display.lines_] == ["ndcg@3", "mrr@3"]
    for column, (line, band) in enumerate(zip(display.lines_, ax.collections, strict=True)):
        assert line.get_ydata().tolist() == found.mean[:, column].tolist()
        height = band.get_paths()[0].vertices[:, 1]
        assert (height.min(), height.max()) == (
            found.low[:, column].min(),
            found.high[:, column].max(),
        )
    assert display.changes_.get_xydata().tolist() == [[2, mean] for mean in found.mean[2]]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [r"\$mon\$", "tue", "wed", "thu"]
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["ndcg@3", "mrr@3", "changed"]
    assert ax.get_xlabel() == "report, with 95 % intervals"


def test_a_history_without_changes_has_no_mark_on_axes_that_are_given():
    found = history_of(dict.fromkeys(map(str, range(40)), GOOD))
    _, ax = pyplot.subplots()
    display = HistoryDisplay(found).plot(ax)
    assert display.ax_ is ax
    assert len(display.changes_.get_xdata()) == 0
    ticks = [tick.get_text() for tick in ax.get_xticklabels()]
    assert ticks[0] == "0"
    assert 3 <= len(ticks) <= 10
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ndcg@3", "mrr@3"]


def test_what_is_no_history_is_refused():
    with raises("history", "a result of history", function="HistoryDisplay", got="'x'"):
        HistoryDisplay("x")
