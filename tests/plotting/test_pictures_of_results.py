"""Comparisons, ranks, answers and rankings as pictures: the numbers are those of the results."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from plotted_data import (
    ANSWERS,
    NAN,
    OLD,
    OTHER,
    RNG,
    SYSTEMS,
    TEA,
    Y_SCORE,
    Y_TRUE,
    assert_same,
    draw_long_ranking,
    refuse,
    texts,
)
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import (
    average_relevant_position,
    mean_average_precision_score,
    ndcg_score,
    ranking_report,
)
from ranking_scores.explain import explain_query
from ranking_scores.plotting import (
    AnswerCurveDisplay,
    ComparisonDisplay,
    QueryDifferenceDisplay,
    RankingCurveDisplay,
    RankingDisplay,
    RanksDisplay,
)
from ranking_scores.significance import compare, compare_all
from ranking_scores.unanswerable import answer_curve

# Comparisons.


def test_bars_are_the_differences_with_their_intervals():
    found = compare_all(SYSTEMS, baseline="old", random_state=0)
    display = ComparisonDisplay(found).plot()
    assert [bar.get_width() for bar in display.bars_] == found.difference.tolist()
    assert [bar.get_y() + 0.3 for bar in display.bars_] == [0, 1, 2]
    for line, low, high in zip(display.interval_, found.low, found.high, strict=True):
        assert_same(line.get_xdata(), [low, high])
    assert_same(display.zero_line_.get_xdata(), [0, 0])
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["new", "same", "worse"]
    assert found.is_significant.tolist() == [True, False, True]
    assert [bar.get_facecolor()[3] for bar in display.bars_] == [1, 0, 1]
    assert [bar.get_hatch() for bar in display.bars_] == [None, None, "//"]
    assert texts(display) == [
        "significantly higher",
        "significantly lower",
        "not significant",
        "95 % confidence interval",
    ]
    title = display.ax_.get_legend().get_title().get_text()
    assert title == "p-values corrected by max-T; simultaneous 95 % intervals"
    assert display.ax_.get_xlabel() == "difference from old, mean of 40 queries"
    assert [text.get_text() for text in display.ax_.texts] == [
        f"{difference:.4f}, p = {pvalue:.4f}".replace("-", "\N{MINUS SIGN}")
        for difference, pvalue in zip(found.difference, found.pvalue, strict=True)
    ]
    bottom, top = display.ax_.get_ylim()
    assert bottom > top  # the first on top


def test_bars_of_all_pairs_and_several_metrics():
    scores = {"ndcg": ndcg_score, "map": mean_average_precision_score}
    reports = {
        name: ranking_report(Y_TRUE, each, scores=scores, k=5)
        for name, each in {"a": Y_SCORE, "b": OTHER, "c": -OTHER}.items()
    }
    found = compare_all(reports, correction="holm")
    display = ComparisonDisplay(found).plot()
    assert len(display.bars_) == 6
    labels = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert labels[2:4] == ["c - b, ndcg@5", "b - a, map@5"]
    assert display.ax_.get_xlabel() == "difference, mean of 30 queries"
    one = ranking_report(Y_TRUE, Y_SCORE, scores="ndcg", k=5)
    other = ranking_report(Y_TRUE, OTHER, scores="ndcg", k=5)
    display = ComparisonDisplay(compare(one, other)).plot()
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["b - a"]
    assert display.ax_.get_xlabel() == "difference in ndcg@5, mean of 30 queries"


def test_bars_of_ranks_reach_from_the_best_to_the_worst():
    ranks = compare_all(SYSTEMS, random_state=0).ranks
    display = RanksDisplay(ranks).plot()
    ends = [(bar.get_x() + 0.4, bar.get_x() + bar.get_width() - 0.4) for bar in display.bars_]
    np.testing.assert_allclose(ends, np.column_stack([ranks.best, ranks.worst]))
    assert ranks.tier.tolist() == [1, 2, 2, 3]
    assert [bar.get_facecolor()[3] for bar in display.bars_] == [1, 0, 0, 0]
    assert display.means_.get_xdata().tolist() == [1, 2, 3, 4]
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == [
        f"{name}, {mean:.4f}" for name, mean in zip(ranks.systems, ranks.mean, strict=True)
    ]
    assert texts(display) == [
        "cannot be separated from the first",
        "significantly worse",
        "rank of the mean",
    ]
    assert display.ax_.get_legend().get_title().get_text() == "ranks, all at once at 95 %"
    bottom, top = display.ax_.get_ylim()
    assert bottom > top  # the first on top


def test_curves_of_answers_have_steps_to_the_scores_of_questions():
    display = AnswerCurveDisplay(ANSWERS).plot()
    for line, name in ((display.answered_, "answered"), (display.refused_, "refused")):
        assert_same(line.get_xdata(), ANSWERS.threshold)
        assert_same(line.get_ydata(), getattr(ANSWERS, name))
        assert line.get_drawstyle() == "steps-pre"
    for band, name in zip(display.bands_, ("answered", "refused"), strict=True):
        [path] = band.get_paths()
        low, high = (getattr(ANSWERS, f"{name}_{end}") for end in ("low", "high"))
        assert path.vertices[:, 1].min() == low.min()
        assert path.vertices[:, 1].max() == high.max()
    assert texts(display) == ANSWERS._notes()[:2]
    assert display.ax_.get_legend().get_title().get_text() == (
        "95 % intervals: Clopper and Pearson"
    )


def test_a_single_threshold_is_a_mark_and_others_are_drawn_in_rising_order():
    has_answer, scores = ANSWERS.has_answer, ANSWERS.scores
    one = AnswerCurveDisplay(answer_curve(has_answer, scores, threshold=0.6)).plot()
    assert one.refused_.get_marker() == "o"
    several = answer_curve(has_answer, scores, threshold=[0.8, 0.6])
    assert AnswerCurveDisplay(several).plot().refused_.get_xdata().tolist() == [0.6, 0.8]


def test_ranks_by_group_and_metric_begin_with_1_in_each():
    columns = {name: np.c_[values, -values] for name, values in SYSTEMS.items()}
    found = compare_all(columns, by=np.arange(40) % 2, n_resamples=99, random_state=0)
    display = RanksDisplay(found.ranks).plot()
    assert display.means_.get_xdata().tolist() == [1, 2, 3, 4] * 4
    label = display.ax_.get_yticklabels()[0].get_text()
    assert label.startswith("new, column 0, 0, 0.")


@pytest.mark.parametrize(("alternative", "arrow"), [("greater", ">"), ("less", "<")])
def test_an_interval_with_one_end_has_an_arrow(alternative, arrow):
    found = compare(SYSTEMS["old"], SYSTEMS["new"], alternative=alternative)
    display = ComparisonDisplay(found).plot()
    markers = {line.get_marker() for line in display.ax_.lines}
    assert arrow in markers
    ends = display.interval_[0].get_xdata()
    assert np.isfinite(ends).all()
    assert {found.low, found.high} & set(ends.tolist())


def test_comparisons_of_too_few_queries():
    with pytest.warns(UndefinedMetricWarning):
        found = compare_all({"a": [1, NAN], "b": [2.0, 3], "c": [NAN, 1]}, correction=None)
    display = ComparisonDisplay(found).plot()
    assert display.ax_.texts[0].get_text() == "1.0000, p undefined"
    assert display.ax_.get_xlabel() == "difference, mean of 0 to 1 queries, 1 to 2 left out"
    display.figure_.canvas.draw()


def test_comparisons_on_axes_of_the_caller():
    found = compare_all(SYSTEMS, random_state=0)
    _, (plain, _) = plt.subplots(1, 2)
    assert ComparisonDisplay(found).plot(plain).figure_ is plain.figure
    _, (left, right) = plt.subplots(1, 2, layout="constrained")
    ComparisonDisplay(found).plot(left)
    RankingCurveDisplay([1, 2], [0.1, 0.2]).plot(right)
    left.figure.canvas.draw()
    assert right.get_legend().get_window_extent().y0 > right.bbox.y1
    _, alone = plt.subplots(layout="constrained")
    ComparisonDisplay(found).plot(alone)
    alone.figure.canvas.draw()
    assert alone.get_legend().get_window_extent().y0 > alone.bbox.y1


def test_small_pvalues_are_not_written_to_the_last_digit():
    found = compare(OLD, OLD + 0.2 + RNG.normal(0, 0.01, 40))
    assert found.pvalue < 1e-20
    [text] = ComparisonDisplay(found).plot().ax_.texts
    assert text.get_text() == f"{found.difference:.4f}, p < 0.0001"


def test_the_limits_of_a_mean_are_drawn_where_they_are():
    found = compare([0.1, 0.1, 0.1], [0.1, 0.3, 0.2])
    display = QueryDifferenceDisplay(found).plot()
    box = display.interval_
    assert (box.get_y(), box.get_y() + box.get_height()) == (found.low, found.high)
    low, high = display.ax_.get_ylim()
    assert low < found.low < 0 < 0.2 < found.high < high
    for alternative, arrow in (("greater", "^"), ("less", "v")):
        one_sided = compare([0.1, 0.1, 0.1], [0.1, 0.3, 0.2], alternative=alternative)
        ax = QueryDifferenceDisplay(one_sided).plot().ax_
        assert [line.get_marker() for line in ax.lines if line.get_marker() != "None"] == [arrow]


def test_queries_with_a_higher_and_with_a_lower_score():
    a = [0.5, 0.5, 0.5, 0.5, NAN, 0.1]
    b = [0.75, 0.25, 0.5, 1.0, 1.0, 0.2]
    found = compare(a, b)
    display = QueryDifferenceDisplay(found).plot()
    values, at, _ = display.higher_.get_data()
    assert_same(values, [0.5, 0.25, 0.2 - 0.1, 0.0, 0.0])
    assert_same(at, np.arange(6) + 0.5)
    assert_same(display.lower_.get_data()[0], [0.0, 0.0, 0.0, 0.0, -0.25])
    assert texts(display) == [
        "higher: 3 queries",
        "lower: 1 query",
        "equal: 1 query",
        f"mean: {found.difference:.4f}",
        "95 % confidence interval of the mean",
    ]
    assert display.mean_line_.get_ydata()[0] == found.difference
    box = display.interval_
    assert (box.get_y(), box.get_y() + box.get_height()) == (found.low, found.high)
    assert display.ax_.get_xlabel() == "5 queries, 1 left out, the highest difference first"
    assert display.ax_.get_ylabel() == "difference, b - a"
    assert display.ax_.get_xticks().size == 0


def test_a_higher_score_is_not_said_to_be_better():
    scores = {"arp": average_relevant_position}
    reports = [
        ranking_report(Y_TRUE, each, scores=scores, replace_undefined_by=1.0)
        for each in (Y_TRUE, -Y_TRUE)
    ]
    display = QueryDifferenceDisplay(compare(*reports)).plot()
    n = int((display.comparison.difference_per_query > 0).sum())
    assert (texts(display)[0], texts(display)[1]) == (f"higher: {n} queries", "lower: 0 queries")
    assert n > 20


def test_few_queries_are_named():
    scores = [Y_SCORE, OTHER]
    reports = [
        ranking_report(
            Y_TRUE[:20], each[:20], scores="ndcg", k=5, query_ids=[f"${n}" for n in range(20)]
        )
        for each in scores
    ]
    found = compare(*reports)
    display = QueryDifferenceDisplay(found).plot()
    order = np.argsort(-found.difference_per_query, kind="stable")
    names = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert names == [f"\\${n}" for n in order]
    assert display.ax_.get_ylabel() == "difference in ndcg@5, b - a"
    many = [
        ranking_report(np.tile(Y_TRUE, (2, 1)), np.tile(each, (2, 1)), scores="ndcg", k=5)
        for each in scores
    ]
    assert QueryDifferenceDisplay(compare(*many)).plot().ax_.get_xticks().size == 0


def test_long_ids_are_left_out():
    for n in (3, 40):
        ids = [f"{number:0{n}}" for number in range(30)]
        one, other = (
            ranking_report(Y_TRUE, each, scores="ndcg", k=5, query_ids=ids)
            for each in (Y_SCORE, OTHER)
        )
        display = QueryDifferenceDisplay(compare(one, other)).plot()
        assert len(display.ax_.get_xticks()) == (30 if n == 3 else 0)


@pytest.mark.parametrize("layout", [None, "tight"])
def test_the_legend_of_differences_is_above_the_bars(layout):
    found = compare(SYSTEMS["old"], SYSTEMS["new"])
    figure, axes = plt.subplots(1, 2, layout=layout)
    for ax in axes:
        QueryDifferenceDisplay(found).plot(ax)
    figure.canvas.draw()
    for ax in axes:
        legend = ax.get_legend().get_window_extent()
        highest = ax.transData.transform((0, found.difference_per_query.max()))[1]
        assert legend.y0 > highest


def test_small_axes_have_no_numbers_beside_many_bars():
    systems = {f"s{number}": OLD + RNG.normal(0, 0.1, 40) for number in range(11)}
    found = compare_all(systems, baseline="s0", correction="holm")
    for size, n_numbers in (((3, 2.5), 0), ((12, 2), 0), ((6.4, 4.8), 10), ((12, 6), 10)):
        _, ax = plt.subplots(figsize=size)
        numbers = ComparisonDisplay(found).plot(ax).ax_.texts
        assert len(numbers) == n_numbers
        assert all(each.get_fontsize() >= 6 for each in numbers)


def test_the_legend_of_differences_takes_few_lines():
    display = QueryDifferenceDisplay(compare(SYSTEMS["old"], SYSTEMS["new"])).plot()
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend().get_window_extent()
    assert legend.height < display.figure_.bbox.height / 6


def test_differences_of_one_query_or_none():
    _, ax = plt.subplots()
    with pytest.warns(UndefinedMetricWarning):
        one = QueryDifferenceDisplay(compare([0.1, NAN], [0.2, 0.3])).plot(ax)
    assert (one.ax_, one.figure_, one.interval_) == (ax, ax.figure, None)
    with pytest.warns(UndefinedMetricWarning):
        none = QueryDifferenceDisplay(compare([NAN], [0.2])).plot()
    assert texts(none)[-1] == "mean: undefined"
    none.figure_.canvas.draw()


def test_displays_refuse_what_is_no_comparison():
    assert refuse(ComparisonDisplay, SYSTEMS).startswith(
        "The 'comparisons' parameter of ComparisonDisplay must be a result of compare_all or "
        "compare. Got a dict instead."
    )
    found = compare_all(SYSTEMS, random_state=0)
    assert refuse(RanksDisplay, found) == (
        "The 'ranks' parameter of RanksDisplay must be the ranks of a result of compare_all. Got "
        "Comparisons instead. They are its attribute `ranks`."
    )
    assert "Got a dict instead." in refuse(RanksDisplay, SYSTEMS)
    assert refuse(AnswerCurveDisplay, found) == (
        "The 'curve' parameter of AnswerCurveDisplay must be a result of answer_curve. Got a "
        "Comparisons instead."
    )
    assert refuse(QueryDifferenceDisplay, found).startswith(
        "The 'comparison' parameter of QueryDifferenceDisplay must be a result of compare, or a "
        "row of a result of compare_all. Got Comparisons instead."
    )
    assert len(QueryDifferenceDisplay(found[0]).plot().higher_.get_data().values) == 40


# All of them.


def test_bars_have_the_colour_of_the_direction_of_the_test():
    rng = np.random.default_rng(0)
    zero = np.zeros(100)
    few_wins = np.r_[np.full(90, -0.01), np.full(10, 0.5)] + rng.normal(scale=1e-4, size=100)
    systems = {
        "old": zero,
        "up": few_wins,
        "down": -few_wins,
        "worse": -0.1 * rng.random(100),
    }
    found = compare_all(systems, baseline="old", test="wilcoxon", correction="holm")
    assert found.direction.tolist() == [-1, 1, -1]
    display = ComparisonDisplay(found).plot()
    shown = texts(display)
    for each in ("lower, mean higher", "higher, mean lower"):
        assert f"ranks significantly {each}" in shown
    assert "significantly lower" in shown
    higher, lower = ([bar.get_facecolor() for bar in display.bars_][n] for n in (1, 0))
    assert mpl.colors.same_color(higher, "#0072B2")
    assert mpl.colors.same_color(lower, "#D55E00")


@pytest.mark.filterwarnings("ignore:compare .* the mean is not in the interval:UserWarning")
def test_bars_whose_mean_moved_to_the_other_side_are_not_significant():
    old, new = ([0.5] * 61, [0.3] * 40 + [0.9] * 21)
    found = compare(*(pd.DataFrame({"ndcg": each}) for each in (old, new)), test="betting")
    assert found.pvalue <= 0.05
    assert "not significant" in texts(ComparisonDisplay(found).plot())


def test_bars_of_groups_are_named():
    rng = np.random.default_rng(0)
    systems = {"old": rng.random(40), "new": rng.random(40)}
    found = compare_all(systems, by=["pc", "tv"] * 20, baseline="old", random_state=0)
    labels = [each.get_text() for each in ComparisonDisplay(found).plot().ax_.get_yticklabels()]
    assert labels == ["new, pc", "new, tv"]


def test_the_ids_of_extreme_queries_are_in_the_legend():
    b = pd.Series([0.3, -0.1, 0.5, 0, 0.1], index=["p", "q", "r$", "s", "t"])
    found = compare(b * 0, b)
    display = QueryDifferenceDisplay(found).plot(n_ids=2)
    assert texts(display)[:2] == ["higher: 3 queries\nmost: r\\$, p", "lower: 1 query\non: q"]
    by_place = compare(np.zeros(5), [0.3, -0.1, NAN, -0.2, 0.1])
    assert QueryDifferenceDisplay(by_place).plot(n_ids=9).lower_.get_label() == (
        "lower: 2 queries\nmost: 3, 1"
    )
    for n_ids in (-1, 1.5, True, None):
        with raises("n_ids", "an int of at least 0", function="QueryDifferenceDisplay.plot"):
            QueryDifferenceDisplay(found).plot(n_ids=n_ids)


# Rankings.


def heights(bars):
    """Return the heights of bars, by where they are."""
    return {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in bars}


def test_a_ranking_has_a_bar_for_each_rank():
    display = RankingDisplay(TEA).plot()
    parts = {part.item: part for part in TEA.items}
    ranked = dict(enumerate("xbcy", start=1))
    assert heights(display.parts_) == {rank: parts[item].part for rank, item in ranked.items()}
    at_best = {rank: parts[item].best_part for rank, item in ranked.items()}
    assert heights(display.best_parts_) == at_best
    assert heights(display.missed_) == {6: parts["a"].best_part}
    assert sum(heights(display.parts_).values()) == pytest.approx(TEA.value)
    [band] = display.tie_band_
    edges_of_band = band.get_x(), band.get_x() + band.get_width()
    assert edges_of_band == pytest.approx((2.5, 4.5), abs=0.05)
    assert texts(display) == [
        "tie group",
        "part: 0.3175",
        "part at best: 1.0000",
        "not retrieved: 1 item",
    ]
    names = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert names == ["x", "b", "c", "y", "a"]
    assert "not retrieved" in display.ax_.get_xlabel()
    assert display.ax_.get_ylabel() == "part of ndcg@3, query 'tea'"


def test_a_ranking_without_ties_or_missed_items_is_plain():
    display = RankingDisplay.from_predictions([[0, 1]], [[2, 1]], score="mrr")
    assert (display.missed_, display.tie_band_) == (None, [])
    assert texts(display) == ["part: 0.5000", "part at best: 1.0000"]
    assert display.ax_.get_xlabel() == "items, the first rank first"
    assert display.ax_.get_ylabel() == "part of mrr, query 0"
    same = RankingDisplay.from_explanation(display.explanation, ax=display.ax_)
    assert same.ax_ is display.ax_


def test_many_items_have_ranks_instead_of_ids():
    display = draw_long_ranking(plt.subplots()[1])
    assert display.ax_.get_xlabel() == "rank"
    assert len(display.parts_) > 300
    ticks = display.ax_.get_xticks()
    assert ticks.min() >= 1
    assert ticks.max() <= 400
    assert len(ticks) > 2


def test_a_few_items_far_down_have_ranks_instead_of_ids():
    y_true = np.zeros((1, 400))
    y_true[0, [0, 90, 390]] = 1
    display = RankingDisplay.from_predictions(y_true, -np.arange(400.0)[None], score="precision@2")
    assert display.ax_.get_xlabel() == "rank"
    assert len(display.parts_) < 10


def test_ids_begin_alike_so_the_end_of_a_long_one_is_shown():
    ids = [f"{number:080}" for number in range(2)]
    display = RankingDisplay.from_predictions([[0, 1]], [[2, 1]], score="mrr", item_ids=ids)
    names = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert [name[0] + name[-2:] for name in names] == ["\u202600", "\u202601"]
    assert len(names[0]) < 30


def test_neighbouring_tie_groups_have_a_gap_between_them():
    display = RankingDisplay.from_predictions([[1, 1, 1, 0]], [[2, 2, 1, 1]], score="map")
    first, second = display.tie_band_
    assert first.get_x() + first.get_width() < second.get_x()


def test_the_worst_query_can_be_plotted():
    display = RankingDisplay.from_predictions(Y_TRUE, Y_SCORE, score="ndcg", worst=1)
    assert display.explanation == explain_query(Y_TRUE, Y_SCORE, score="ndcg", worst=1)[0]


def test_a_ranking_of_an_undefined_score_says_so():
    display = RankingDisplay.from_predictions([[0, 0]], [[2, 1]])
    assert "undefined" in display.ax_.get_xlabel()
    assert len(display.parts_) == 0
    assert (display.ax_.get_legend(), len(display.ax_.get_xticks())) == (None, 0)
    display.figure_.canvas.draw()


def test_a_ranking_is_of_one_query():
    several = explain_query(Y_TRUE, Y_SCORE, score="ndcg", worst=2)
    for got in (several, TEA.items):
        assert refuse(RankingDisplay, got).startswith(
            "The 'explanation' parameter of RankingDisplay must be a result of explain_query for "
            "one query."
        )
    for name, value, got in (("query", [1, 2], "[1, 2]"), ("worst", 3, "3")):
        with raises(name, "one query", function="RankingDisplay.from_predictions", got=got):
            RankingDisplay.from_predictions(Y_TRUE, Y_SCORE, **{name: value})
