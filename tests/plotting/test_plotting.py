"""Pictures: the numbers drawn are those of the scores and comparisons, to the last bit."""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from functools import partial

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from matplotlib import pyplot as plt
from raising import raises
from scipy.stats import t as student
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from ranking_scores import (
    StreamingScore,
    average_relevant_position,
    dcg_score,
    mean_average_precision_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
)
from ranking_scores._metrics import _evaluate
from ranking_scores._metrics._named import SCORES, parameters_of
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain import explain_query
from ranking_scores.plotting import (
    AnswerCurveDisplay,
    ComparisonDisplay,
    QueryDifferenceDisplay,
    RankingCurveDisplay,
    RankingDisplay,
    RanksDisplay,
)
from ranking_scores.significance import compare, compare_all, confidence_interval
from ranking_scores.tables import RankingData, from_lists
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.unanswerable import answer_curve

TEA = explain_query(
    from_lists(
        {"tea": {"a": 3, "b": 2, "c": 1}, "milk": {"d": 1}},
        {"tea": {"x": 5, "b": 4, "c": 3, "y": 3, "z": 1}, "milk": {"d": 1}},
    ),
    score="ndcg@3",
    query="tea",
)
RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 4, (30, 12)) * (RNG.random((30, 12)) < 0.4)
Y_SCORE = RNG.integers(0, 5, (30, 12)) / 2
OTHER = RNG.normal(size=(30, 12))
QID = np.repeat(RNG.permutation(30) * 7, 12)
WEIGHT = RNG.integers(0, 3, 30)
K = [1, 2, 5, 12, 20]
ANSWERS = answer_curve([True, True, True, False, False], [0.9, 0.8, 0.5, 0.6, -np.inf])
NAN = np.nan

from_predictions = RankingCurveDisplay.from_predictions
from_estimator = RankingCurveDisplay.from_estimator
from_cv_results = RankingCurveDisplay.from_cv_results


def refuse(call, *args, **params):
    """Return the message of the error that a call raises."""
    figures = plt.get_fignums()
    with pytest.raises(InvalidParameterError) as caught:
        call(*args, **params)
    assert plt.get_fignums() == figures
    return str(caught.value)


def texts(display):
    """Return the entries of the legend."""
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def edges(band):
    """Return the lower and the upper end of a band at each cutoff."""
    [path] = band.get_paths()
    points = {}
    for x, y in path.vertices:
        points.setdefault(x, set()).add(y)
    return tuple(zip(*((min(points[x]), max(points[x])) for x in sorted(points)), strict=True))


def assert_same(drawn, expected):
    np.testing.assert_array_equal(np.asarray(drawn), np.asarray(expected), strict=True)


# Curves.


@pytest.mark.parametrize(
    ("score", "params"),
    [
        (ndcg_score, {}),
        (ndcg_score, {"gain": "exponential", "relevance_threshold": 2, "discount": "log"}),
        (ndcg_score, {"where": OTHER > -1, "item_weight": np.exp(OTHER)}),
        (dcg_score, {"discount": lambda rank: 1 / rank, "sample_weight": WEIGHT}),
        (precision_at_k_score, {"replace_undefined_by": NAN}),
        (mean_average_precision_score, {"ignore_ties": True}),
    ],
)
def test_a_curve_is_the_score_at_each_cutoff(score, params):
    display = from_predictions(Y_TRUE, Y_SCORE, score=score, k=K, **params)
    assert_same(display.line_.get_xdata(), K)
    assert_same(display.line_.get_ydata(), score(Y_TRUE, Y_SCORE, k=K, **params))


@pytest.mark.parametrize("score", ["hit_rate", partial(ndcg_score, gain="exponential")])
def test_a_name_or_a_partial_is_a_score(score):
    display = from_predictions(Y_TRUE, Y_SCORE, score=score, k=[3])
    report = ranking_report(Y_TRUE, Y_SCORE, scores={"it": score}, k=3)
    assert display.line_.get_ydata() == report["it@3"]


def test_rows_of_queries():
    params = {"qid": QID, "k": K}
    display = from_predictions(Y_TRUE.ravel(), Y_SCORE.ravel(), **params)
    assert_same(display.line_.get_ydata(), ndcg_score(Y_TRUE.ravel(), Y_SCORE.ravel(), **params))


def test_each_model_is_ranked_once_for_all_cutoffs(monkeypatch):
    calls = []

    def rank_items(*args, **params):
        calls.append(args)
        return rank(*args, **params)

    rank = _evaluate.rank_items
    monkeypatch.setattr(_evaluate, "rank_items", rank_items)
    from_predictions(Y_TRUE, {"a": Y_SCORE, "b": OTHER}, ties=False, chance=False)
    assert len(calls) == 2
    from_predictions(Y_TRUE, {"a": Y_SCORE, "b": OTHER})
    assert len(calls) == 2 + 2 * 3 + 1  # each as it is, worst and best; and chance


def test_class_labels():
    y_true = np.array(["tea", "milk", "tea", "coffee"] * 3)
    y_score = RNG.random((12, 3))
    labels = ["coffee", "milk", "tea"]
    display = from_predictions(y_true, y_score, score="mrr", k=[1, 2, 3], labels=labels)
    report = ranking_report(y_true, y_score, scores="mrr", k=[1, 2, 3], labels=labels)
    assert_same(display.line_.get_ydata(), list(report.mean.values()))
    assert_same(
        display.chance_level_.get_ydata(),
        chance_level(y_true, score="mrr", k=[1, 2, 3], labels=labels),
    )


def test_joined_tables_come_as_they_are():
    retrieved = sp.csr_array(np.where(Y_SCORE > 0.5, Y_SCORE, 0))
    data = RankingData(sp.csr_array(Y_TRUE), retrieved, np.arange(30), np.arange(12))
    display = from_predictions(data, score="mrr", k=K)
    expected = from_predictions(data.y_true, data.y_score, score="mrr", k=K)
    assert_same(display.line_.get_ydata(), expected.line_.get_ydata())
    assert "'y_score' parameter of" in refuse(from_predictions, data, {"a": retrieved})
    assert "given, unless y_true is" in refuse(from_predictions, Y_TRUE)


def joined(y_score, n_queries=30):
    """Return data of which not all items were retrieved."""
    retrieved = sp.csr_array(np.where(y_score > 0.5, y_score, 0))[:n_queries]
    y_true = sp.csr_array(Y_TRUE)[:n_queries]
    return RankingData(y_true, retrieved, np.arange(n_queries), np.arange(12))


def test_joined_tables_of_several_models():
    models = {"old": joined(Y_SCORE), "new": joined(OTHER)}
    display = from_predictions(models, score="mrr", k=K)
    assert display.name == ["old", "new"]
    assert (display.n_queries, display.chance_level_) == (30, None)
    for line, data in zip(display.line_, models.values(), strict=True):
        expected = from_predictions(data, score="mrr", k=K)
        assert_same(line.get_ydata(), expected.line_.get_ydata())
    fewer = from_predictions(models | {"few": joined(OTHER, 20)}, score="mrr", k=K)
    assert fewer.n_queries is None
    assert fewer.ax_.get_ylabel() == "MRR@k"


def test_bad_joined_tables_of_several_models():
    caller = "parameter of RankingCurveDisplay.from_predictions must be"
    one, other = joined(Y_SCORE), joined(OTHER)
    assert refuse(from_predictions, {"a": one}, Y_SCORE).startswith(
        f"The 'y_score' {caller} left out, since y_true is a dict of models. Got an array"
    )
    assert refuse(from_predictions, {"a": one, "b": Y_TRUE}).startswith(
        f"The \"y_true['b']\" {caller} what `from_tables` or `from_table` returned, since y_true "
    )
    assert refuse(from_predictions, {"a": one}, name="a") == (
        f"The 'name' {caller} None if y_true is a dict, whose keys are the names. Got 'a' instead."
    )
    assert refuse(from_predictions, {}) == (
        f"The 'y_true' {caller} a dict with at least one model. Got {{}} instead."
    )
    other.y_score.data[3] = NAN
    assert refuse(from_predictions, {"a": one, "b": other}).startswith(
        f"The \"y_true['b']\" {caller} finite"
    )


def test_score_is_the_name_of_the_parameter():
    for call in (from_predictions, from_estimator, from_cv_results):
        args = [Y_TRUE, Y_SCORE, QID][: 2 if call is from_predictions else 3]
        assert "Did you mean 'score'?" in refuse(call, *args, score_func="map")


def test_retrieved_lists_have_no_chance():
    retrieved = sp.csr_array(np.where(Y_SCORE > 0.5, Y_SCORE, 0))
    display = from_predictions(Y_TRUE, retrieved, k=K)
    assert_same(display.line_.get_ydata(), ndcg_score(Y_TRUE, retrieved, k=K))
    assert display.chance_level_ is None
    message = (
        "The 'chance' parameter of RankingCurveDisplay.from_predictions must be False if y_score "
        "is sparse, since chance cannot say which items are retrieved. Got True instead."
    )
    models = {"dense": Y_SCORE, "sparse": retrieved}
    assert refuse(from_predictions, Y_TRUE, retrieved, chance=True) == message
    assert refuse(from_predictions, Y_TRUE, models, chance=True) == message
    assert from_predictions(Y_TRUE, models).chance_level_ is None


def test_cutoffs_come_in_any_order_and_only_once():
    display = from_predictions(Y_TRUE, Y_SCORE, k=[5, 1, 20, 5])
    assert_same(display.k, [1, 5, 20])
    assert_same(display.line_.get_ydata(), ndcg_score(Y_TRUE, Y_SCORE, k=[1, 5, 20]))
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["1", "5", "20"]


def test_fifty_cutoffs_unless_told():
    display = from_predictions(Y_TRUE, Y_SCORE)
    assert_same(display.k, np.arange(1, 51))
    assert display.ax_.get_xscale() == "linear"
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == [
        *("1", "10", "20", "30", "40", "50")
    ]


def test_thousands_of_cutoffs_are_on_a_logarithmic_scale():
    k = np.arange(1, 3001)
    display = RankingCurveDisplay(k, 1 / k).plot()
    assert display.ax_.get_xscale() == "log"
    labels = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert (labels[:4], labels[-1]) == (["1", "2", "5", "10"], "2000")
    hundred = RankingCurveDisplay(k[2:99], 1 / k[2:99]).plot().ax_
    assert hundred.get_xscale() == "linear"
    assert [tick.get_text() for tick in hundred.get_xticklabels()] == [
        *("3", "20", "40", "60", "80")
    ]
    near = [*range(1000, 1013), 1020]
    assert RankingCurveDisplay(near, np.ones(14)).plot().ax_.get_xticks().tolist() == [1000]
    for n in (13, 20, 60, 99):
        assert len(RankingCurveDisplay(k[:n], k[:n]).plot().ax_.get_xticks()) > 2


def test_several_scores_and_cutoffs_on_the_same_axes():
    _, ax = plt.subplots()
    labels = []
    for name, n, k in (("a", 3, [1, 5]), ("a", 3, [2, 5]), ("a", 4, [2]), ("b", 4, [1])):
        RankingCurveDisplay(k, np.ones(len(k)), score_name=name, n_queries=n).plot(ax)
        labels.append(ax.get_ylabel())
    assert labels == ["a@k, mean of 3 queries", "a@k, mean of 3 queries", "a@k", "score@k"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "5"]


def test_bands_can_be_seen_on_black():
    alphas = []
    for style in ("default", "dark_background"):
        with plt.style.context(style):
            [band] = from_predictions(Y_TRUE, OTHER, k=K).confidence_band_
        alphas.append((band.get_facecolor()[0][3], band.get_edgecolor()[0][3]))
    assert alphas == [(0.2, 0.7), (0.4, 1)]


def test_far_cutoffs_are_on_a_logarithmic_scale():
    few = from_predictions(Y_TRUE, Y_SCORE, k=[1, 3, 10, 100])
    assert few.ax_.get_xscale() == "log"
    assert [tick.get_text() for tick in few.ax_.get_xticklabels()] == ["1", "3", "10", "100"]
    many = from_predictions(Y_TRUE, Y_SCORE, k=[*range(1, 20), 100])
    many.figure_.canvas.draw()
    assert many.ax_.get_xscale() == "log"
    low, high = many.ax_.get_xlim()
    shown = [
        tick.label1.get_text()
        for tick in many.ax_.xaxis.get_major_ticks()
        if low < tick.get_loc() < high
    ]
    assert shown == ["1", "2", "5", "10", "20", "50", "100"]


@pytest.mark.parametrize("weight", [None, WEIGHT, WEIGHT * 2.0**600])
def test_the_confidence_band_is_students_interval(weight):
    params = {"sample_weight": weight, "replace_undefined_by": NAN}
    y_true = np.where(np.arange(30)[:, None] % 7 == 0, 0, Y_TRUE)
    display = from_predictions(y_true, Y_SCORE, k=K, confidence_level=0.9, **params)
    values = ndcg_score(y_true, Y_SCORE, k=K, average=None, replace_undefined_by=NAN)
    w = np.ones(30) if weight is None else weight / weight.max()
    counts = ~np.isnan(values[:, 0]) & (w > 0)
    w, v = w[counts], values[counts]
    mean, n = np.average(v, axis=0, weights=w), len(w)
    share = w / w.sum()
    left = 1 - 2 * share + (share**2).sum()
    error = np.sqrt((((share**2 / left)[:, None]) * (v - mean) ** 2).sum(axis=0))
    width = student.ppf(0.95, w.sum() ** 2 / (w**2).sum() - 1) * error
    [band] = display.confidence_band_
    low, high = edges(band)
    np.testing.assert_allclose(low, mean - width, rtol=1e-12)  # sums in another order
    np.testing.assert_allclose(high, mean + width, rtol=1e-12)
    assert_same(display.low, low)
    assert_same(display.high, high)
    found = confidence_interval(v, sample_weight=w, method="t", confidence_level=0.9)
    np.testing.assert_allclose([low, high], [found.low, found.high], rtol=1e-12)
    assert display.n_queries == n
    assert display.ax_.get_ylabel() == f"nDCG@k, mean of {n} queries"
    assert display.ax_.get_xlabel() == "cutoff k"
    assert "90 % confidence interval" in texts(display)


def test_the_band_with_item_weights_has_the_error_that_knows_of_random_weights():
    y_true = np.where(np.arange(30)[:, None] % 7 == 0, 0, Y_TRUE)
    params = {"item_weight": np.repeat(1.0 + np.arange(30) % 5, Y_TRUE.shape[1]).reshape(30, -1)}
    display = from_predictions(y_true, Y_SCORE, k=K, **params)
    stream = StreamingScore(ndcg_score, k=K)
    stream.update(y_true, Y_SCORE, **params)
    w = np.where(y_true.any(axis=1), 1.0 + np.arange(30) % 5, np.nan)
    w = np.where(np.isnan(w), np.nanmean(w), w)
    width = student.ppf(0.975, w.sum() ** 2 / (w**2).sum() - 1) * stream.standard_error
    np.testing.assert_allclose(display.high, np.minimum(display.score + width, 1), rtol=1e-12)


def test_the_band_of_ties_is_from_the_worst_to_the_best_order():
    display = from_predictions(Y_TRUE, Y_SCORE, k=K)
    found = tie_report(Y_TRUE, Y_SCORE, score=ndcg_score, k=K)
    [band] = display.tie_band_
    assert edges(band) == (tuple(found.worst), tuple(found.best))
    assert_same(display.worst, found.worst)
    assert_same(display.best, found.best)
    assert "worst to best order of ties" in texts(display)


def test_ties_that_do_not_matter_have_no_band():
    assert from_predictions(Y_TRUE, OTHER).tie_band_ == []
    display = from_predictions(Y_TRUE, {"ties": Y_SCORE, "none": OTHER}, k=K)
    [band] = display.tie_band_
    assert edges(band)[1] == tuple(tie_report(Y_TRUE, Y_SCORE, score=ndcg_score, k=K).best)
    assert np.isnan(display.worst[1]).all()


def test_ties_and_chance_are_left_out_where_there_is_one_order():
    display = from_predictions(Y_TRUE, Y_SCORE, ignore_ties=True)
    assert (display.tie_band_, display.chance_level_, display.chance) == ([], None, None)
    for option in ("ties", "chance"):
        assert refuse(from_predictions, Y_TRUE, Y_SCORE, ignore_ties=True, **{option: True}) == (
            "The 'ignore_ties' parameter of RankingCurveDisplay.from_predictions must be False "
            f"if {option}=True, which needs all orders of the ties. Got True instead."
        )
    display = from_predictions(Y_TRUE, Y_SCORE, ties=False, chance=False, confidence_level=None)
    assert texts(display) == [f"nDCG@50 = {ndcg_score(Y_TRUE, Y_SCORE):.4f}"]
    assert (display.low, display.worst, display.confidence_band_) == (None, None, [])


def test_ties_under_a_discount_of_the_callers():
    params = {"discount": lambda rank: 1 / rank}
    assert from_predictions(Y_TRUE, Y_SCORE, k=K, **params).tie_band_ == []
    [band] = from_predictions(Y_TRUE, Y_SCORE, k=K, ties=True, **params).tie_band_
    assert edges(band)[0] == tuple(
        tie_report(Y_TRUE, Y_SCORE, score=ndcg_score, k=K, **params).worst
    )
    assert refuse(from_predictions, Y_TRUE, Y_SCORE, ties=True, discount=np.sqrt).startswith(
        "The 'discount' parameter of RankingCurveDisplay.from_predictions must be a function "
        "whose values never rise from one rank to the next. Got 1 at rank 1 and more"
    )


def test_chance_is_a_dotted_line():
    display = from_predictions(Y_TRUE, {"a": Y_SCORE, "b": OTHER}, k=K)
    expected = chance_level(Y_TRUE, score=ndcg_score, k=K)
    assert_same(display.chance_level_.get_ydata(), expected)
    assert display.chance_level_.get_linestyle() == ":"
    assert f"chance (nDCG@20 = {expected[-1]:.4f})" in texts(display)


@pytest.mark.long
def test_several_models_have_a_style_each():
    models = {f"model {number}": OTHER + number for number in range(120)}
    display = from_predictions(Y_TRUE, models, k=[1, 2], ties=False, confidence_level=None)
    styles = {
        (line.get_color(), str(line._dash_pattern), line.get_marker()) for line in display.line_
    }
    assert len(styles) == 120
    assert len({line.get_color() for line in display.line_}) == 6
    for line, scores in zip(display.line_, models.values(), strict=True):
        assert_same(line.get_ydata(), ndcg_score(Y_TRUE, scores, k=[1, 2]))
    value = ndcg_score(Y_TRUE, OTHER, k=2)
    assert texts(display)[:2] == [f"model {n} (nDCG@2 = {value:.4f})" for n in range(2)]


def test_names_are_shown_as_they_are():
    name = "a very long name of a model, which does not fit into one line of a legend"
    models = {"_hidden": OTHER, "for $5 or $6": OTHER, name: OTHER}
    display = from_predictions(Y_TRUE, models, k=1, chance=False, ties=False)
    value = f"(nDCG@1 = {ndcg_score(Y_TRUE, OTHER, k=1):.4f})"
    assert texts(display)[:3] == [
        f" _hidden {value}",
        f"for \\$5 or \\$6 {value}",
        f"a very long name of a model, which does not\nfit into one line of a legend\n{value}",
    ]
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend().get_window_extent()
    assert display.figure_.bbox.containsx(legend.x0)
    assert display.figure_.bbox.containsx(legend.x1)
    assert not display.ax_.bbox.overlaps(legend)


@pytest.mark.long
def test_a_legend_of_many_models_fits_into_the_figure():
    models = {f"a model of some kind or other, that is number {n}": OTHER for n in range(30)}
    display = from_predictions(Y_TRUE, models, k=K, confidence_level=None)
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend().get_window_extent()
    assert legend.y0 >= 0
    assert legend.x1 <= display.figure_.bbox.x1


def test_a_figure_without_room_for_a_legend_is_drawn_all_the_same():
    figure, ax = plt.subplots(figsize=(0.4, 0.4), layout="constrained")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*axes sizes collapsed to zero")
        display = from_predictions(Y_TRUE, {"one": Y_SCORE, "two": OTHER}, k=K, ax=ax)
        figure.canvas.draw()
    assert "more" in texts(display)[-1]


def test_curves_of_several_calls_share_axes():
    _, ax = plt.subplots()
    first = from_predictions(Y_TRUE, Y_SCORE, k=K, name="first", ax=ax)
    second = from_predictions(Y_TRUE, OTHER, k=K, name="second", ax=ax)
    assert first.ax_ is second.ax_ is ax
    assert first.figure_ is ax.figure
    assert first.line_.get_color() != second.line_.get_color()
    shown = texts(second)
    assert len(set(shown)) == len(shown) == 5
    assert plt.get_fignums() == [1]


def test_keywords_of_curves():
    models = {"a": Y_SCORE, "b": OTHER}
    display = from_predictions(Y_TRUE, models, k=K, curve_kwargs={"lw": 3})
    assert [line.get_linewidth() for line in display.line_] == [3, 3]
    display.plot(curve_kwargs=[{"c": "red"}, {"label": "its own"}], name=["one", "two"])
    assert display.line_[0].get_color() == "red"
    assert mpl.colors.same_color(display.confidence_band_[0].get_facecolor()[0][:3], "red")
    assert display.line_[0].get_label().startswith("one (")
    assert display.line_[1].get_label() == "its own"
    plt.close("all")
    assert refuse(display.plot, name=["one"]) == (
        "The 'name' parameter of RankingCurveDisplay.plot must be a non-empty string, or a list "
        "of 2 strings, one per curve. Got ['one'] instead."
    )
    assert "'curve_kwargs' parameter" in refuse(display.plot, curve_kwargs=[{}, {}, {}])
    assert refuse(display.plot, name=["one", ""]).endswith("Got ['one', ''] instead.")
    single = RankingCurveDisplay([1, 2], [0.1, 0.2])
    for name in ("", 3, {}):
        assert refuse(single.plot, name=name) == (
            "The 'name' parameter of RankingCurveDisplay.plot must be a non-empty string, or a "
            f"list of 1 string, one per curve. Got {name!r} instead."
        )
    for kwargs in (3, "red", [None]):
        assert refuse(single.plot, curve_kwargs=kwargs) == (
            "The 'curve_kwargs' parameter of RankingCurveDisplay.plot must be a dict, or a list "
            f"of 1 dict, one per curve. Got {kwargs!r} instead."
        )
    with pytest.raises(AttributeError):
        single.plot(curve_kwargs={"lenght": 3})
    assert plt.get_fignums() == []


def test_one_cutoff_has_a_marker_and_bands_that_can_be_seen():
    display = from_predictions(Y_TRUE, Y_SCORE, k=5)
    value, found = ndcg_score(Y_TRUE, Y_SCORE, k=5), tie_report(Y_TRUE, Y_SCORE, score="ndcg@5")
    assert_same(display.line_.get_xdata(), [5])
    assert_same(display.line_.get_ydata(), [value])
    assert display.line_.get_marker() == "o"
    [bar] = display.confidence_band_
    assert_same(bar.get_xdata(), [5, 5])
    assert_same(bar.get_ydata(), [*display.low, *display.high])
    assert texts(display)[-2:] == ["95 % confidence interval", "worst to best order of ties"]
    assert edges(display.tie_band_[0]) == (2 * (found.worst,), 2 * (found.best,))
    assert_same(display.chance_level_.get_xdata(), [4.75, 5.25])
    assert_same(display.chance_level_.get_ydata(), 2 * [chance_level(Y_TRUE, score="ndcg@5")])


def test_one_query_has_no_confidence_band():
    display = from_predictions(Y_TRUE[:1], Y_SCORE[:1], k=K)
    assert display.confidence_band_ == []
    assert display.ax_.get_ylabel() == "nDCG@k, mean of 1 query"


def test_a_score_that_is_undefined_says_so():
    params = {"replace_undefined_by": NAN, "k": [1, 2]}
    text = "^ndcg_score is undefined: no query has both a weight and a defined score.$"
    with pytest.warns(UndefinedMetricWarning, match=text) as caught:
        display = from_predictions(np.zeros((3, 4)), Y_SCORE[:3, :4], **params)
    assert (len(caught), caught[0].filename) == (1, __file__)
    assert np.isnan(display.line_.get_ydata()).all()
    assert texts(display) == ["nDCG@2 is undefined", "chance (nDCG@2 is undefined)"]
    low, high = display.ax_.get_xlim()
    assert low < 1 < 2 < high


def test_the_score_must_have_cutoffs():
    caller = "parameter of RankingCurveDisplay.from_predictions must be"
    assert refuse(from_predictions, Y_TRUE, Y_SCORE, score=average_relevant_position) == (
        f"The 'score' {caller} a score with cutoffs, which takes `k`. Got the function "
        "average_relevant_position instead."
    )
    names = ", ".join(name for name, each in SCORES.items() if "k" in parameters_of(each))
    for score, advice in (("auc", ""), ("ndgc", " Did you mean 'ndcg' or 'dcg'?")):
        assert refuse(from_predictions, Y_TRUE, Y_SCORE, score=score) == (
            f"The 'score' {caller} one of {names}. Got '{score}' instead.{advice}"
        )
    assert refuse(from_predictions, Y_TRUE, Y_SCORE, score="ndcg@10") == (
        f"The 'score' {caller} a score without a cutoff of its own, since `k` has the cutoffs. "
        "Got 'ndcg@10' instead."
    )
    assert refuse(from_predictions, Y_TRUE, Y_SCORE, score=len) == (
        f"The 'score' {caller} a score of ranking_scores, or the name of one. "
        "Got the function len instead."
    )


@pytest.mark.parametrize(
    ("params", "text"),
    [
        (
            {"k": None},
            "'k' {} an int of at least 1 or a list of these. Got None instead.",
        ),
        ({"k": 0}, "'k' {} an int of at least 1 or a list of these. Got 0 instead."),
        (
            {"average": None},
            "'average' {} left out, since the curve shows means. Got None instead.",
        ),
        (
            {"gian": 1},
            "'gian' {} left out, since it is not a parameter of ndcg. "
            "Got 1 instead. Did you mean 'gain'?",
        ),
        (
            {"confidence_level": 95},
            "'confidence_level' {} a number between 0 and 1, neither of them included. "
            "Got 95 instead. 95 % is 0.95.",
        ),
        ({"ties": 1}, "'ties' {} True or False. Got 1 instead."),
        ({"chance": "yes"}, "'chance' {} True or False. Got 'yes' instead."),
        ({"y_score": {}}, "'y_score' {} a dict with at least one model. Got {{}} instead."),
        (
            {"y_score": {1: OTHER}},
            "'y_score' {} a dict whose keys are non-empty strings, if it is a dict. "
            "Got the key 1 instead.",
        ),
        (
            {"y_score": {"a": OTHER}, "name": "b"},
            "'name' {} None if y_score is a dict, whose keys are the names. Got 'b' instead.",
        ),
    ],
)
def test_from_predictions_refuses(params, text):
    expected = text.format("parameter of RankingCurveDisplay.from_predictions must be")
    assert refuse(from_predictions, Y_TRUE, **{"y_score": Y_SCORE} | params) == f"The {expected}"


def test_what_the_score_refuses_is_refused_in_its_name():
    message = refuse(from_predictions, Y_TRUE, Y_SCORE[:, :3])
    assert message.startswith("The 'y_score' parameter of ndcg_score must be of the shape")


def test_errors_of_a_model_say_which_it_is():
    caller = "RankingCurveDisplay.from_predictions"
    with_nan = OTHER.copy()
    with_nan[1, 2] = NAN
    message = refuse(from_predictions, Y_TRUE, {"a": OTHER, "b": with_nan})
    assert message.startswith(f"The \"y_score['b']\" parameter of {caller} must be finite")
    message = refuse(from_predictions, Y_TRUE, with_nan)
    assert message.startswith("The 'y_score' parameter of ndcg_score must be finite")
    message = refuse(from_predictions, Y_TRUE - 5, {"a": OTHER, "b": OTHER})
    assert message.startswith("The 'y_true' parameter of ndcg_score must be")


def test_errors_name_the_function_that_was_called(rows):
    X, y, qid = rows
    calls = {
        "from_predictions": partial(from_predictions, y, X[:, 0], qid=qid),
        "from_estimator": partial(from_estimator, Ridge().fit(X, y), X, y, qid=qid),
        "from_cv_results": partial(from_cv_results, cross_validated(rows), X, y, qid=qid),
    }
    for caller, call in calls.items():
        for params in ({"name": 3}, {"ax": 3}, {"curve_kwargs": 3}):
            [name] = params
            assert refuse(call, **params).startswith(
                f"The '{name}' parameter of RankingCurveDisplay.{caller} must be"
            )


def test_means_from_elsewhere():
    display = RankingCurveDisplay([1, 10], [[0.1, 0.2], [0.3, 12345.6]], score_name="gain")
    assert display.plot().line_[1].get_label() == "gain@10 = 12345.6000"
    single = RankingCurveDisplay([1, 10], [[0.1, 0.2]], name="one").plot()
    assert [line.get_label() for line in single.line_] == ["one (score@10 = 0.2000)"]
    assert single.ax_.get_ylabel() == "score@k"


@pytest.mark.parametrize(
    ("params", "text"),
    [
        (
            {"k": []},
            "'k' parameter of {} must be 1-D, with at least one cutoff. Got shape (0,) instead.",
        ),
        (
            {"k": [[1, 2]]},
            "'k' parameter of {} must be 1-D, with at least one cutoff. Got shape (1, 2) instead.",
        ),
        (
            {"score": ["a", "b"]},
            "'score' parameter of {} must be an array of bools, ints or floats. Got dtype <U1 "
            "instead. If it holds numbers, use `np.asarray(score).astype(float)`.",
        ),
        (
            {"score": [0.1, np.inf]},
            "'score' parameter of {} must be finite or NaN. Got infinity at position 1 instead.",
        ),
        (
            {"low": [0.1, 0.3], "high": [0.2, 0.2]},
            "'low' parameter of {} must be at most as high as `high`. Got a higher one at "
            "position 1 instead.",
        ),
        (
            {"n_queries": -3},
            "'n_queries' parameter of {} must be None or an int of at least 0. Got -3 instead.",
        ),
        (
            {"n_queries": True},
            "'n_queries' parameter of {} must be None or an int of at least 0. Got True instead.",
        ),
        (
            {"score_name": 3},
            "'score_name' parameter of {} must be a non-empty string. Got 3 instead.",
        ),
        ({"score": [1]}, "'score' parameter of {} must be of shape (2,). Got shape (1,) instead."),
        (
            {"score": [[1]]},
            "'score' parameter of {} must be of shape (any, 2). Got shape (1, 1) instead.",
        ),
        (
            {"low": [[0, 0]]},
            "'low' parameter of {} must be of shape (2,). Got shape (1, 2) instead.",
        ),
        (
            {"fold_scores": [1, 2]},
            "'fold_scores' parameter of {} must be of shape (any, 2). Got shape (2,) instead.",
        ),
        *(
            (
                {"k": k},
                "'k' parameter of {} must be whole numbers of at least 1 in increasing order. "
                f"Got {k} instead.",
            )
            for k in ([0, 1], [2, 1], [1, 1], [1.0, 1.5], ["a", "b"], [True, False])
        ),
        *(
            (
                {one: [0, 0]},
                f"'{two}' parameter of {{}} must be given with `{one}`. Got None instead.",
            )
            for one, two in (
                ("low", "high"),
                ("high", "low"),
                ("best", "worst"),
                ("worst", "best"),
            )
        ),
        (
            {"confidence_level": 95},
            "'confidence_level' parameter of {} must be a number between 0 and 1, neither of them "
            "included. Got 95 instead. 95 % is 0.95.",
        ),
    ],
)
def test_the_display_refuses_other_shapes(params, text):
    given = {"k": [1, 2], "score": [0.1, 0.2]} | params
    expected = f"The {text.format('RankingCurveDisplay')}"
    assert refuse(RankingCurveDisplay, **given) == expected


# Estimators.


@pytest.fixture
def rows():
    """Features, relevance and query ids of items, a row each."""
    X = RNG.normal(size=(240, 4))
    y = np.clip(np.round(X[:, 0] + RNG.normal(size=240)), 0, 3).astype(int)
    return X, y, np.repeat(RNG.permutation(40), 6)


@pytest.mark.parametrize("with_routing", [False, True])
def test_a_regressor(rows, with_routing):
    X, y, qid = rows
    ridge = Ridge().fit(X, y)
    with sklearn.config_context(enable_metadata_routing=with_routing):
        display = from_estimator(ridge, X, y, qid=qid, k=K, gain="exponential")
    expected = ndcg_score(y, ridge.predict(X), qid=qid, k=K, gain="exponential")
    assert_same(display.line_.get_ydata(), expected)
    assert display.line_.get_label() == f"Ridge (nDCG@20 = {expected[-1]:.4f})"
    assert display.n_queries == 40
    assert_same(
        display.chance_level_.get_ydata(),
        chance_level(y, score=ndcg_score, qid=qid, k=K, gain="exponential"),
    )


def test_classifiers_by_their_items_and_by_their_classes(rows):
    X, y, qid = rows
    binary = LogisticRegression().fit(X, y > 0)
    display = from_estimator(binary, X, y > 0, qid=qid, k=K, name="clicks", score="map")
    expected = mean_average_precision_score(y > 0, binary.decision_function(X), qid=qid, k=K)
    assert_same(display.line_.get_ydata(), expected)
    assert display.line_.get_label().startswith("clicks (MAP@20")
    names = np.array(["tea", "milk", "coffee", "water"])[y]
    tree = DecisionTreeClassifier(max_depth=2).fit(X, names)
    display = from_estimator(tree, X, names, k=[1, 2], score="mrr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grades = from_estimator(DecisionTreeClassifier().fit(X, y), X, y, k=[1, 2])
    report = ranking_report(names, tree.predict_proba(X), scores="mrr", k=[1, 2])
    assert_same(display.line_.get_ydata(), list(report.mean.values()))
    assert grades.n_queries == 240
    method = {"response_method": "predict"}
    display = from_estimator(DecisionTreeClassifier().fit(X, y), X, y, qid=qid, **method)
    assert display.n_queries == 40


def test_classes_that_an_estimator_has_not_seen(rows):
    X, y, _ = rows
    forest = DecisionTreeClassifier(max_depth=2).fit(X[y < 3], y[y < 3])
    labels = [0, 1, 2, 3]
    display = from_estimator(
        forest, X, y, labels=labels, response_method="predict_proba", k=[1, 4]
    )
    padded = np.column_stack([forest.predict_proba(X), np.zeros(240)])
    assert_same(display.line_.get_ydata(), ndcg_score(y, padded, labels=labels, k=[1, 4]))
    message = refuse(from_estimator, forest, X, y)
    assert message.startswith("The 'labels' parameter of RankingCurveDisplay.from_estimator must")


def test_an_estimator_must_be_one(rows):
    X, y, qid = rows
    caller = "RankingCurveDisplay.from_estimator"
    three = "decision_function or predict_proba or predict"
    several = " To plot several estimators, pass a dict of their scores to `from_predictions`."
    for estimator, got, advice in (
        (3, "3", ""),
        (Ridge, "the class Ridge", ""),
        ({"a": 1}, "{'a': 1}", several),
    ):
        assert refuse(from_estimator, estimator, X, y, qid=qid) == (
            f"The 'estimator' parameter of {caller} must be a fitted estimator with {three}. Got "
            f"{got} instead.{advice}"
        )
    assert refuse(from_estimator, Ridge(), X, y, response_method="predict_proba") == (
        f"The 'estimator' parameter of {caller} must be a fitted estimator with predict_proba. "
        "Got Ridge() instead."
    )


def test_response_methods(rows):
    X, y, qid = rows
    ridge, results = Ridge().fit(X, y), cross_validated(rows)
    for methods in (3, "transform", [], ["predict", 3]):
        for caller, call in (
            ("from_estimator", partial(from_estimator, ridge)),
            ("from_cv_results", partial(from_cv_results, results)),
        ):
            assert refuse(call, X, y, qid=qid, response_method=methods) == (
                f"The 'response_method' parameter of RankingCurveDisplay.{caller} must be "
                "'decision_function', 'predict_proba', 'predict' or a list of names of methods. "
                f"Got {methods!r} instead."
            )


def test_an_estimator_needs_qid(rows):
    X, y, _ = rows
    assert refuse(from_estimator, Ridge().fit(X, y), X, y) == (
        "The 'qid' parameter of RankingCurveDisplay.from_estimator must be given if y_true is "
        "1-D, with one item per row. Got None instead."
    )


def cross_validated(rows, cv=None):
    """Return the results of a cross-validation."""
    X, y, qid = rows
    cv = GroupKFold(4) if cv is None else cv
    more = {"return_estimator": True, "return_indices": True}
    groups = None if isinstance(cv, KFold) else qid
    return cross_validate(Ridge(), X, y, groups=groups, cv=cv, **more)


def test_folds_and_their_mean(rows):
    X, y, qid = rows
    results = cross_validated(rows)
    weight = 1.0 + qid % 3
    params = {"k": K, "relevance_threshold": None}
    display = from_cv_results(results, X, y, qid=qid, sample_weight=weight, **params)
    scores, levels = [], []
    for estimator, test in zip(results["estimator"], results["indices"]["test"], strict=True):
        own = params | {"qid": qid[test], "sample_weight": weight[test]}
        scores.append(ndcg_score(y[test], estimator.predict(X[test]), **own))
        levels.append(chance_level(y[test], score=ndcg_score, **own))
    for line, expected in zip(display.fold_line_, scores, strict=True):
        assert_same(line.get_ydata(), expected)
    mean = np.mean(scores, axis=0)
    assert_same(display.line_.get_ydata(), mean)
    assert_same(display.chance_level_.get_ydata(), np.mean(levels, axis=0))
    assert texts(display) == [
        f"Ridge, mean of 4 folds (nDCG@20 = {mean[-1]:.4f})",
        f"chance (nDCG@20 = {np.mean(levels, axis=0)[-1]:.4f})",
        "each fold",
    ]
    assert display.ax_.get_ylabel() == "nDCG@k"
    single = from_cv_results(results, X, y, qid=qid, k=3, chance=False, name="tuned")
    assert single.line_.get_label().startswith("tuned (nDCG@3")
    assert [line.get_marker() for line in single.fold_line_] == 4 * ["_"]
    assert single.chance_level_ is None


def test_folds_of_whole_queries_need_no_ids():
    X = RNG.normal(size=(30, 3))
    y = (RNG.random((30, 12)) < 0.3).astype(float)
    more = {"return_estimator": True, "return_indices": True}
    results = cross_validate(Ridge(), X, y, cv=KFold(3), **more)
    display = from_cv_results(results, X, y, k=K, where=OTHER > -1)
    test = results["indices"]["test"][2]
    expected = ndcg_score(
        y[test], results["estimator"][2].predict(X[test]), where=(OTHER > -1)[test], k=K
    )
    assert_same(display.fold_line_[2].get_ydata(), expected)


def test_folds_must_keep_queries_whole(rows):
    X, y, qid = rows
    results = cross_validated(rows, KFold(7))
    cut = np.intersect1d(*(qid[results["indices"][part][0]] for part in ("train", "test")))[0]
    assert refuse(from_cv_results, results, X, y, qid=qid) == (
        "The 'qid' parameter of RankingCurveDisplay.from_cv_results must be such that each fold "
        f"keeps the rows of a query together. Got rows of the query {cut} in both parts of a fold "
        "instead. Use GroupKFold with groups=qid, or another splitter of groups."
    )


def test_folds_need_the_id_of_each_row(rows):
    X, y, qid = rows
    assert refuse(from_cv_results, cross_validated(rows), X, y, qid=qid[1:]) == (
        "The 'qid' parameter of RankingCurveDisplay.from_cv_results must be of shape (240,), the "
        "query id of each row of X. Got shape (239,) instead."
    )


@pytest.mark.parametrize("parameter", ["X", "y", "sample_weight", "item_weight", "where"])
def test_folds_need_all_rows(rows, parameter):
    X, y, qid = rows
    given = dict.fromkeys(["sample_weight", "item_weight"], np.ones(240)) | {"X": X, "y": y}
    given["where"] = np.ones(240, dtype=bool)
    results, caller = cross_validated(rows), "RankingCurveDisplay.from_cv_results"
    for values, got in ((given[parameter][1:], "239 rows"), (3, "3")):
        assert refuse(from_cv_results, results, qid=qid, **given | {parameter: values}) == (
            f"The '{parameter}' parameter of {caller} must be of at least 240 rows, as many as "
            f"the indices of cv_results need. Got {got} instead."
        )
    sparse = from_cv_results(results, sp.csr_array(X), y, qid=qid, k=K)
    assert_same(sparse.score, from_cv_results(results, X, y, qid=qid, k=K).score)


@pytest.mark.parametrize(("name", "value"), [("confidence_level", 0.9), ("ties", True)])
def test_folds_have_no_bands(rows, name, value):
    X, y, qid = rows
    assert refuse(from_cv_results, cross_validated(rows), X, y, qid=qid, **{name: value}) == (
        f"The '{name}' parameter of RankingCurveDisplay.from_cv_results must be left out, since "
        f"the folds are drawn instead of bands. Got {value} instead."
    )


def test_results_must_have_estimators_and_indices(rows):
    X, y, qid = rows
    caller = "The 'cv_results' parameter of RankingCurveDisplay.from_cv_results must be the"
    advice = "Call it with return_estimator=True and return_indices=True."
    for results, got in (
        ({"estimator": []}, "no 'indices' in it"),
        ({"indices": {}}, "no 'estimator' in it"),
        ([1], "[1]"),
    ):
        assert refuse(from_cv_results, results, X, y, qid=qid) == (
            f"{caller} result of cross_validate. Got {got} instead. {advice}"
        )


# Comparisons.

OLD = RNG.random(40)
SYSTEMS = {
    "old": OLD,
    "new": OLD + RNG.normal(0.2, 0.1, 40),
    "same": OLD + RNG.normal(0, 0.2, 40),
    "worse": OLD + RNG.normal(-0.2, 0.1, 40),
}


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


def draw_long_ranking(ax):
    labels, scores = np.arange(400) % 3 == 0, np.arange(400) // 2
    return RankingDisplay.from_predictions([labels], [scores], score="map", ax=ax)


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


def test_bands_stay_in_the_range_of_the_score():
    y_true = np.eye(12, 30, 3)
    for y_score, n_queries in ((y_true, 12), (np.tile(y_true, (5, 1)), 60)):
        labels = np.tile(y_true, (n_queries // 12, 1))
        display = from_predictions(labels, y_score, score="hit_rate", k=K)
        assert_same(display.high, np.ones(len(K)))
        expected = confidence_interval(np.ones(n_queries))
        assert expected.method == ("exact" if n_queries < 40 else "wilson")
        np.testing.assert_allclose(display.low, np.full(len(K), expected.low))
    graded = np.random.default_rng(0).integers(0, 3, (4, 8))
    near = graded + np.random.default_rng(1).normal(scale=1.5, size=(4, 8))
    display = from_predictions(graded, near, score="ndcg", k=K)
    assert display.high.max() == display.high[display.score < 1].max() == 1
    weighted = from_predictions(y_true, y_true, score="hit_rate", k=K, sample_weight=np.ones(12))
    assert_same(weighted.low, np.ones(len(K)))
    with pytest.warns(UndefinedMetricWarning, match="no query has a defined score"):
        below = from_predictions(y_true * 0, y_true, score="mrr", k=K, replace_undefined_by=-1)
    assert_same(below.low, -np.ones(len(K)))
    sums = from_predictions(graded * 9, near, score="dcg", k=K)
    assert sums.high.max() > 1


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
