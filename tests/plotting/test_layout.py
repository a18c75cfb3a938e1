"""What all pictures share: they are legible at any size, take axes, and need matplotlib."""

from __future__ import annotations

import inspect
import subprocess
import sys

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from plotted_data import (
    ANSWERS,
    OLD,
    OTHER,
    RNG,
    SYSTEMS,
    TEA,
    Y_SCORE,
    Y_TRUE,
    K,
    draw_long_ranking,
    from_cv_results,
    from_estimator,
    from_predictions,
    refuse,
    texts,
)

from ranking_scores import ranking_report
from ranking_scores.plotting import (
    AnswerCurveDisplay,
    ComparisonDisplay,
    QueryDifferenceDisplay,
    RankingCurveDisplay,
    RankingDisplay,
    RanksDisplay,
)
from ranking_scores.significance import compare, compare_all

PANELS = [
    (1, (6.4, 4.8)),
    (2, (6.4, 4.8)),
    (1, (3.3, 2.5)),
    pytest.param(3, (9, 3), marks=pytest.mark.slow),
]


@pytest.mark.long
@pytest.mark.parametrize("layout", [None, "tight", "constrained"])
@pytest.mark.parametrize(("n_panels", "size"), PANELS)
def test_nothing_of_a_comparison_is_covered_or_cut_off(layout, n_panels, size):
    figure, axes = plt.subplots(1, n_panels, figsize=size, layout=layout, squeeze=False)
    found = compare_all(SYSTEMS, baseline="old", correction="holm")
    for ax in axes.flat:
        display = ComparisonDisplay(found).plot(ax)
        figure.canvas.draw()
        legend = ax.get_legend().get_window_extent()
        numbers = [text.get_window_extent() for text in ax.texts]
        boxes = [*numbers, *(bar.get_window_extent() for bar in display.bars_)]
        assert legend.count_overlaps(boxes) == 0
        for number, box in enumerate(numbers):
            assert box.count_overlaps(numbers[:number]) == 0
            assert box.x1 < figure.bbox.x1
        assert legend.y0 > 0
        assert legend.y1 < figure.bbox.y1
        assert legend.x1 < figure.bbox.x1


LONG = "a hybrid of two retrievers with a cross-encoder reranker, version 2, quantised"
MODELS = {"bm25": Y_SCORE, "dense": OTHER, LONG: Y_TRUE + OTHER}


def draw_curves(ax):
    return from_predictions(Y_TRUE, MODELS, k=K, ax=ax)


def draw_curve(ax):
    return from_predictions(Y_TRUE, Y_SCORE, k=K, score="precision", ax=ax)


def draw_many_curves(ax):
    models = {f"the model with the number {number}": OTHER for number in range(25)}
    return from_predictions(Y_TRUE, models, k=K, confidence_level=None, ax=ax)


def draw_comparisons(ax):
    reports = {name: ranking_report(Y_TRUE, MODELS[name], scores="ndcg@5") for name in MODELS}
    return ComparisonDisplay(compare_all(reports, baseline="bm25", random_state=0)).plot(ax)


def draw_many_comparisons(ax):
    systems = {f"system {number}": OLD + RNG.normal(0, 0.1, 40) for number in range(12)}
    return ComparisonDisplay(compare_all(systems, baseline="system 0", correction="holm")).plot(ax)


def draw_ranks(ax):
    systems = {f"system {number}": OLD + RNG.normal(0, 0.1, 40) for number in range(30)}
    found = compare_all(systems | {LONG: OLD}, n_resamples=99, random_state=0)
    return RanksDisplay(found.ranks).plot(ax)


def draw_differences(ax):
    return QueryDifferenceDisplay(compare(SYSTEMS["old"], SYSTEMS["new"])).plot(ax)


def draw_one_sided_differences(ax):
    found = compare(SYSTEMS["old"], SYSTEMS["new"], alternative="less")
    return QueryDifferenceDisplay(found).plot(ax)


def draw_answers(ax):
    return AnswerCurveDisplay(ANSWERS).plot(ax)


def draw_ranking(ax):
    return RankingDisplay(TEA).plot(ax)


@pytest.mark.long
@pytest.mark.parametrize("layout", [None, "tight", "constrained"])
@pytest.mark.parametrize(
    "size", [(3.3, 2.5), pytest.param((5, 3.5), marks=pytest.mark.slow), (9, 5)]
)
@pytest.mark.parametrize(
    "draw",
    [
        draw_curves,
        draw_curve,
        draw_many_curves,
        draw_comparisons,
        draw_many_comparisons,
        draw_ranks,
        draw_differences,
        draw_one_sided_differences,
        draw_answers,
        draw_ranking,
        draw_long_ranking,
    ],
)
def test_pictures_are_legible_at_the_width_of_a_column_and_of_a_page(draw, size, layout):
    figure, ax = plt.subplots(figsize=size, layout=layout)
    draw(ax)
    figure.canvas.draw()
    legend = ax.get_legend()
    ticks = []
    for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        low, high = sorted(limits)
        ticks += [each.label1 for each in axis.get_major_ticks() if low <= each.get_loc() <= high]
    written = [*ticks, *legend.get_texts(), *ax.texts, ax.xaxis.label, ax.yaxis.label]
    for each in written:
        if each.get_text():
            box = each.get_window_extent()
            assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1, each
            assert figure.bbox.y0 <= box.y0 <= box.y1 <= figure.bbox.y1, each
            assert each.get_fontsize() >= 5
    box = legend.get_window_extent()
    assert not box.overlaps(ax.bbox)
    assert box.width * box.height <= figure.bbox.width * figure.bbox.height / 3
    names = [each.get_window_extent() for each in ax.get_yticklabels() if each in ticks]
    for number, name in enumerate(names):
        assert name.count_overlaps(names[:number]) == 0
    assert ax.bbox.width > 0.4 * figure.bbox.width
    assert ax.bbox.height > 0.3 * figure.bbox.height


@pytest.mark.long
def test_what_does_not_fit_is_said():
    _, ax = plt.subplots(figsize=(3.3, 2.5))
    many = draw_many_curves(ax)
    shown = texts(many)
    n_entries = len(ax.get_legend_handles_labels()[1])
    assert shown[-1] == f"and {n_entries - len(shown) + 1} more"
    _, ax = plt.subplots(figsize=(3.3, 2.5))
    assert len(draw_ranks(ax).ax_.get_yticklabels()) < 31
    assert len(draw_ranks(None).ax_.get_yticklabels()) == 31
    _, ax = plt.subplots(figsize=(3.3, 2.5))
    label = draw_many_comparisons(ax).ax_.get_xlabel()
    assert "more room shows p-values" in label.replace("\n", " ")
    assert "p =" not in str([tick.get_text() for tick in ax.get_yticklabels()])
    _, ax = plt.subplots(figsize=(3.3, 2.5))
    names = [tick.get_text() for tick in draw_comparisons(ax).ax_.get_yticklabels()]
    assert all("p =" in name or "p <" in name for name in names)


def test_numbers_have_the_minus_of_the_ticks():
    found = compare(SYSTEMS["new"], SYSTEMS["old"])
    for is_unicode, minus in ((True, "\N{MINUS SIGN}"), (False, "-")):
        with mpl.rc_context({"axes.unicode_minus": is_unicode}):
            [text] = ComparisonDisplay(found).plot().ax_.texts
        assert text.get_text().startswith(f"{minus}0.")


def test_a_figure_is_not_wider_or_higher_for_long_names():
    models = {f"{LONG}, {LONG}, {number}": OTHER for number in range(12)}
    width, height = from_predictions(Y_TRUE, models, k=K).figure_.get_size_inches()
    assert width < 12
    assert height <= 9


def test_axes_that_were_placed_by_hand_stay_where_they_are():
    figure = plt.figure()
    ax = figure.add_axes((0.2, 0.2, 0.5, 0.5))
    display = from_predictions(Y_TRUE, Y_SCORE, k=K, ax=ax)
    assert ax.get_position().bounds == pytest.approx((0.2, 0.2, 0.5, 0.5))
    assert display.ax_.get_legend() is not None
    assert figure.get_layout_engine() is None


def assert_is_whole(ax, figure):
    """Check that nothing of a picture is cut off, also of what is around its axes."""
    figure.canvas.draw()
    low, high = ax.get_tightbbox().min, ax.get_tightbbox().max
    assert (low >= figure.bbox.min).all()
    assert (high <= figure.bbox.max).all()


@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize(
    "draw",
    [draw_curves, draw_comparisons, draw_ranks, draw_differences, draw_answers, draw_ranking],
)
def test_tight_layout_keeps_the_legend(draw, is_own):
    ax = draw(plt.subplots()[1] if is_own else None).ax_
    assert_is_whole(ax, ax.figure)
    ax.figure.tight_layout()
    assert_is_whole(ax, ax.figure)


def test_pictures_in_subfigures_are_whole():
    figure = plt.figure(figsize=(12, 5))
    for part in figure.subfigures(1, 2):
        draw_curves(part.subplots())
    for ax in figure.axes:
        assert_is_whole(ax, figure)


@pytest.mark.long
@pytest.mark.parametrize("layout", [None, "tight", "constrained"])
@pytest.mark.parametrize(("n_panels", "size"), PANELS)
def test_legends_leave_room_for_curves(layout, n_panels, size):
    figure, axes = plt.subplots(1, n_panels, figsize=size, layout=layout, squeeze=False)
    for ax in axes.flat:
        from_predictions(Y_TRUE, {"feature 100": Y_SCORE, "ridge": OTHER}, k=K, ax=ax)
    figure.canvas.draw()
    for ax in axes.flat:
        legend = ax.get_legend().get_window_extent()
        assert legend.x1 < figure.bbox.x1
        assert legend.x0 > 0
        assert ax.bbox.width > 0.4 * figure.bbox.width / n_panels


def displays():
    """Yield each display, drawn."""
    found = compare_all(SYSTEMS, random_state=0)
    yield from_predictions(Y_TRUE, Y_SCORE)
    yield ComparisonDisplay(found).plot()
    yield QueryDifferenceDisplay(found[0]).plot()
    yield RankingDisplay(TEA).plot()
    yield RanksDisplay(found.ranks).plot()
    yield AnswerCurveDisplay(ANSWERS).plot()


def test_attributes_and_parameters_are_documented():
    from numpydoc_sections import parameters_of, sections_of

    for display in displays():
        cls = type(display)
        attributes = parameters_of(cls)
        drawn = [name for name in vars(display) if name.endswith("_")]
        text = sections_of(cls)["Attributes"]
        for name in drawn:
            assert f"\n{name} : " in f"\n{text}"
        given = [name for name in vars(display) if not name.endswith("_")]
        assert given == list(attributes) == list(inspect.signature(cls).parameters)


@pytest.mark.long
def test_plot_makes_one_figure_and_returns_the_display():
    for number, display in enumerate(displays(), 1):
        assert len(plt.get_fignums()) == number
        ax = display.ax_
        assert display.plot(ax) is display
        assert display.ax_ is ax
        assert len(plt.get_fignums()) == number


def test_axes_must_be_axes():
    _, several = plt.subplots(1, 2)
    for display in displays():
        plt.close(display.figure_)
        for ax, got in ((3, "3"), (several, "an array of shape (2,) and dtype object")):
            assert refuse(display.plot, ax) == (
                f"The 'ax' parameter of {type(display).__name__}.plot must be a matplotlib Axes "
                f"or None. Got {got} instead."
            )


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    found = compare_all(SYSTEMS, random_state=0)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name, call in {
        "RankingCurveDisplay.from_predictions": lambda: from_predictions(1, 2),
        "RankingCurveDisplay.from_estimator": lambda: from_estimator(1, 2, 3),
        "RankingCurveDisplay.from_cv_results": lambda: from_cv_results(1, 2, 3),
        "RankingCurveDisplay.plot": RankingCurveDisplay([1], [1]).plot,
        "ComparisonDisplay.plot": ComparisonDisplay(found).plot,
        "QueryDifferenceDisplay.plot": QueryDifferenceDisplay(found[0]).plot,
        "RankingDisplay.from_explanation": lambda: RankingDisplay.from_explanation(TEA),
        "RankingDisplay.from_predictions": lambda: RankingDisplay.from_predictions(1, 2),
        "RankingDisplay.plot": RankingDisplay(TEA).plot,
        "RanksDisplay.plot": RanksDisplay(found.ranks).plot,
        "AnswerCurveDisplay.plot": AnswerCurveDisplay(ANSWERS).plot,
    }.items():
        with pytest.raises(ImportError) as caught:
            call()
        assert str(caught.value) == (
            f'{name} needs matplotlib: python -m pip install "ranking-scores[plot]"'
        )


@pytest.mark.long
def test_matplotlib_is_imported_only_to_draw():
    code = (
        "import sys, ranking_scores; print('ranking_scores.plotting' in sys.modules); "
        "ranking_scores.plotting; print('matplotlib' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
