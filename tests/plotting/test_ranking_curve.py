"""Curves of a score: the numbers drawn are those of the score at each cutoff, to the last bit."""

from __future__ import annotations

import warnings
from functools import partial

import matplotlib as mpl
import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib import pyplot as plt
from plotted_data import (
    NAN,
    OTHER,
    QID,
    RNG,
    WEIGHT,
    Y_SCORE,
    Y_TRUE,
    K,
    assert_same,
    from_cv_results,
    from_estimator,
    from_predictions,
    refuse,
    texts,
)
from scipy.stats import t as student
from sklearn.exceptions import UndefinedMetricWarning

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
from ranking_scores.plotting import RankingCurveDisplay
from ranking_scores.significance import confidence_interval
from ranking_scores.tables import RankingData
from ranking_scores.ties import chance_level, tie_report


def edges(band):
    """Return the lower and the upper end of a band at each cutoff."""
    [path] = band.get_paths()
    points = {}
    for x, y in path.vertices:
        points.setdefault(x, set()).add(y)
    return tuple(zip(*((min(points[x]), max(points[x])) for x in sorted(points)), strict=True))


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
        assert "It is called `score` here." in refuse(call, *args, score_func="map")


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
    assert refuse(from_predictions, Y_TRUE, Y_SCORE, score="err") == (
        "The 'max_grade' parameter of RankingCurveDisplay.from_predictions must be given for "
        "expected_reciprocal_rank_score, which needs it. For example, "
        "max_grade=3."
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


def test_from_predictions_says_what_no_parameter_is():
    expected = "has no parameter 'gian', nor has ndcg. Did you mean 'gain'?"
    refused = refuse(from_predictions, Y_TRUE, Y_SCORE, gian=1)
    assert refused == f"RankingCurveDisplay.from_predictions {expected}"


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
    for weight in (np.ones(12), np.linspace(1, 2, 12)):
        given = {"score": "hit_rate", "k": K, "sample_weight": weight}
        weighted = from_predictions(y_true, y_true, **given)
        expected = confidence_interval(np.ones(12), sample_weight=weight)
        np.testing.assert_allclose(weighted.low, np.full(len(K), expected.low))
    with pytest.warns(UndefinedMetricWarning, match="no query has a defined score"):
        below = from_predictions(y_true * 0, y_true, score="mrr", k=K, replace_undefined_by=-1)
    assert_same(below.low, -np.ones(len(K)))
    sums = from_predictions(graded * 9, near, score="dcg", k=K)
    assert sums.high.max() > 1
