"""The plot of a score against its cutoff."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import Place, invalid
from ranking_scores._base._results import as_percent, count_queries
from ranking_scores._base._validation import describe
from ranking_scores._tables._ranking_data import RankingData
from ranking_scores.plotting._curves import (
    RESPONSE_METHODS,
    check_array,
    check_rising,
    check_titles,
    curve_of_estimator,
    curves_of_folds,
    curves_of_models,
    settings_of,
)
from ranking_scores.plotting._layout import (
    CURVE,
    DOTTED,
    ERROR_BAR,
    GREY,
    HATCHED,
    THIN,
    are_far,
    as_number,
    axes_for,
    axes_or_new,
    draw_curve,
    draw_legend,
    entry_of,
    filled,
    for_each,
    new_label,
    pyplot_for,
    ticks_for,
    widen_single,
    write_beside,
)
from ranking_scores.significance._tests import check_level

Floats = NDArray[np.float64]


class RankingCurveDisplay:
    """Plot of a score against its cutoff, for one model or several.

    Use `from_predictions`, `from_estimator` or `from_cv_results` to make and draw a display. All
    parameters are stored as attributes, and `plot` draws them again.

    Parameters
    ----------
    k : array-like of shape (n_k,)
        The cutoffs, in increasing order.

    score : array-like of shape (n_k,) or (n_models, n_k)
        The score at each cutoff, of one model or of several.

    low : array-like of the shape of `score`, default=None
        The lower limits of the confidence intervals.

    high : array-like of the shape of `score`, default=None
        The upper limits of the confidence intervals.

    worst : array-like of the shape of `score`, default=None
        The score if items with equal scores are in the worst order.

    best : array-like of the shape of `score`, default=None
        The score if items with equal scores are in the best order.

    lowest : array-like of the shape of `score`, default=None
        The lowest score that labels of unjudged items could give.

    highest : array-like of the shape of `score`, default=None
        The highest such score.

    chance : array-like of shape (n_k,), default=None
        The expected score of a random ranking.

    fold_scores : array-like of shape (n_folds, n_k), default=None
        The score in each fold of a cross-validation. `score` is their mean.

    name : str or list of str, default=None
        The name of each model.

    score_name : str, default="score"
        The name of the score in the plot.

    confidence_level : float, default=0.95
        The confidence level of `low` and `high`.

    n_queries : int, default=None
        The number of queries in the means.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    line_ : matplotlib.lines.Line2D or list of these
        The curve, or a list of curves if `score` is 2-D.

    confidence_band_ : list of matplotlib.collections.PolyCollection
        The confidence band of each curve. Empty if there is none. With a single cutoff, it is a
        list of error bars, which are matplotlib.lines.Line2D.

    tie_band_ : list of matplotlib.collections.PolyCollection
        The band of each curve from the worst to the best order of ties. Empty if there is none.

    unjudged_band_ : list of matplotlib.collections.PolyCollection
        The band of each curve from the lowest to the highest score that labels of unjudged items
        could give. Empty if there is none.

    fold_line_ : list of matplotlib.lines.Line2D
        The curve of each fold. Empty if there are no folds.

    chance_level_ : matplotlib.lines.Line2D or None
        The chance level. None if it is not drawn.

    Raises
    ------
    ValueError, TypeError
        If the shape of an array does not match `k` and `score`. The error is of both types, as in
        scikit-learn.

    See Also
    --------
    ranking_scores.ranking_report : Shows the same numbers in a table.
    ranking_scores.ties.tie_report : Computes the worst and the best order of ties.
    ranking_scores.unjudged.score_bounds : Computes what unjudged items could do.
    sklearn.metrics.RocCurveDisplay : A display of scikit-learn with the same methods.

    Notes
    -----
    In a clone, ``python -m pip install ".[plot]"`` installs matplotlib. In a script, call
    ``matplotlib.pyplot.show()`` to show the plot.

    Colour-blind people can distinguish the colours, which are those of Okabe and Ito. Lines and
    markers differ as well, so the plot can be printed in grey.

    Examples
    --------
    >>> from ranking_scores.plotting import RankingCurveDisplay
    >>> y_true, y_score = [[0, 1, 2], [0, 0, 3]], [[0.1, 0.2, 0.3], [0.7, 0.7, 0.1]]
    >>> display = RankingCurveDisplay.from_predictions(y_true, y_score, k=[1, 2, 3])
    >>> display.line_.get_label()
    'nDCG@3 = 0.7500'

    The means can come from a stream:

    >>> from ranking_scores import StreamingScore
    >>> stream = StreamingScore("ndcg", k=[1, 2, 3])
    >>> stream.update([[0, 1, 2], [0, 0, 3]], [[0.1, 0.2, 0.3], [0.7, 0.7, 0.1]])
    >>> display = RankingCurveDisplay([1, 2, 3], stream.compute(), score_name="nDCG").plot()
    >>> display.line_.get_label()
    'nDCG@3 = 0.7500'
    """

    ax_: Any
    figure_: Any
    line_: Any
    confidence_band_: list[Any]
    tie_band_: list[Any]
    unjudged_band_: list[Any]
    fold_line_: list[Any]
    chance_level_: Any

    def __init__(
        self,
        k: ArrayLike,
        score: ArrayLike,
        *,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        worst: ArrayLike | None = None,
        best: ArrayLike | None = None,
        lowest: ArrayLike | None = None,
        highest: ArrayLike | None = None,
        chance: ArrayLike | None = None,
        fold_scores: ArrayLike | None = None,
        name: str | Sequence[str] | None = None,
        score_name: str = "score",
        confidence_level: float | None = 0.95,
        n_queries: int | None = None,
    ) -> None:
        # Arrays in the form in which they are drawn. None stays None.
        self.k: NDArray[Any] = check_rising(k)
        n_k = self.k.size
        self.score: Floats = check_array("score", score, (-1, n_k)[-max(np.ndim(score), 1) :])
        shape = self.score.shape
        self.low = check_array("low", low, shape)
        self.high = check_array("high", high, shape)
        self.worst = check_array("worst", worst, shape)
        self.best = check_array("best", best, shape)
        self.lowest = check_array("lowest", lowest, shape)
        self.highest = check_array("highest", highest, shape)
        self.chance = check_array("chance", chance, (n_k,))
        self.fold_scores = check_array("fold_scores", fold_scores, (-1, n_k))
        self.name = name
        self.score_name = score_name
        self.confidence_level = confidence_level
        self.n_queries = n_queries
        for ends in (("low", "high"), ("worst", "best"), ("lowest", "highest")):
            for one, other in (ends, ends[::-1]):
                if getattr(self, one) is None and getattr(self, other) is not None:
                    raise invalid(one, "RankingCurveDisplay", f"given with `{other}`", "None")
        if confidence_level is not None:
            check_level(confidence_level, "RankingCurveDisplay")
        check_titles(score_name, n_queries)
        if self.low is not None and (self.low > self.high).any():
            place = Place(position=tuple(np.argwhere(self.low > self.high)[0].tolist()))
            expected, got = "at most as high as `high`", "a higher one"
            raise invalid("low", "RankingCurveDisplay", expected, got, place=place)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | RankingData | Mapping[str, RankingData],
        y_score: Any = None,
        *,
        score: Callable[..., Any] | str = "ndcg",
        k: Any = range(1, 51),
        confidence_level: float | None = 0.95,
        ties: bool | None = None,
        chance: bool | None = None,
        unjudged: bool = False,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        **params: Any,
    ) -> RankingCurveDisplay:
        """Plot the curve of one model or of several models from their scores.

        The items of each query are ranked once for all cutoffs.

        Parameters
        ----------
        y_true : array-like, sparse, RankingData or dict of str to RankingData
            The labels, in any layout that `score` accepts. Or the result of
            `ranking_scores.from_tables` or `ranking_scores.from_table`, without `y_score`. A dict
            maps the names of several models to such results.

        y_score : array-like, sparse, or dict of str to these, default=None
            The scores that rank the items, in the same layout. A dict maps the names of several
            models to their scores.

        score : callable or str, default="ndcg"
            A score of this package with cutoffs, a `functools.partial` of one, or its name, such
            as "ndcg". See `ranking_report` for the names.

        k : int or sequence of int, default=range(1, 51)
            The cutoffs, in any order. They may be larger than the number of items.

        confidence_level : float or None, default=0.95
            The confidence level of the band around each curve. The band is Student's t interval
            of the mean over the queries, computed separately at each cutoff with the standard
            error of `StreamingScore`. None draws no band.

        ties : bool, default=None
            Whether to draw the band from the worst to the best order of items with equal scores.
            The band is left out if these orders do not differ. None means True, except with
            `ignore_ties`, and with a function as `discount`, since the worst order may then be
            unknown.

        chance : bool, default=None
            Whether to draw the expected score of a random ranking. None means True, except with
            `ignore_ties`, and for retrieved lists, whose chance level is unknown.

        unjudged : bool, default=False
            Whether to draw the band from the lowest to the highest score that labels of unjudged
            items could give, as in `ranking_report`. The labels could be 0 or 1, or from 0 to
            `max_grade` if it is passed.

        name : str, default=None
            The name of the model in the legend. With a dict, the names are its keys.

        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure.

        curve_kwargs : dict or list of dict, default=None
            Keyword arguments for `matplotlib.axes.Axes.plot`. A dict applies to all curves, and a
            list has one dict per curve.

        **params
            The other parameters of `score`, such as `qid`, `gain` or `sample_weight`.

        Returns
        -------
        display : RankingCurveDisplay
            The display, which is already drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError, TypeError
            If a parameter is not as described here, or if the score refuses the data. The error is
            of both types, as in scikit-learn.

        Warns
        -----
        sklearn.exceptions.UndefinedMetricWarning
            If a mean is NaN. The score itself issues the same warning.

        Examples
        --------
        >>> from ranking_scores.plotting import RankingCurveDisplay
        >>> y_true = [[0, 2, 1, 0], [1, 0, 0, 0], [0, 0, 3, 1]]
        >>> old = [[0.1, 0.9, 0.4, 0.3], [0.2, 0.2, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1]]
        >>> new = [[0.1, 0.9, 0.4, 0.3], [0.3, 0.2, 0.2, 0.1], [0.2, 0.3, 0.4, 0.1]]
        >>> display = RankingCurveDisplay.from_predictions(
        ...     y_true, {"old": old, "new": new}, k=[1, 2, 3]
        ... )
        >>> [line.get_label() for line in display.line_]
        ['old (nDCG@3 = 0.7078)', 'new (nDCG@3 = 0.9421)']
        >>> display.chance_level_.get_ydata()
        array([0.3194..., 0.4406..., 0.5756...])
        """
        function = "RankingCurveDisplay.from_predictions"
        pyplot_for(function)
        bands = confidence_level, ties, chance, unjudged
        settings = settings_of(score, k, params, function, bands)
        display = cls(**curves_of_models(settings, y_true, y_score, name))
        return display._plot(ax, None, curve_kwargs, function)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        score: Callable[..., Any] | str = "ndcg",
        response_method: str | Sequence[str] = RESPONSE_METHODS,
        k: Any = range(1, 51),
        confidence_level: float | None = 0.95,
        ties: bool | None = None,
        chance: bool | None = None,
        unjudged: bool = False,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        **params: Any,
    ) -> RankingCurveDisplay:
        """Plot the curve of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.

        X : array-like or sparse of shape (n_samples, n_features)
            The features.

        y : array-like or sparse
            The labels, as in `make_ranking_scorer`:

            - one label per item, with `qid`;
            - one row of labels per query;
            - the class of each sample.

        score : callable or str, default="ndcg"
            Same as in `from_predictions`.

        response_method : str or sequence of str
            The method of the estimator that computes the scores. In a sequence, the first method
            that the estimator has is used. By default "decision_function", "predict_proba",
            "predict". The columns of a response are matched to classes as in
            `make_ranking_scorer`.

        k : int or sequence of int, default=range(1, 51)
            Same as in `from_predictions`.

        confidence_level : float or None, default=0.95
            Same as in `from_predictions`.

        ties : bool, default=None
            Same as in `from_predictions`.

        chance : bool, default=None
            Same as in `from_predictions`.

        unjudged : bool, default=False
            Same as in `from_predictions`.

        name : str, default=None
            The name in the legend. None means the name of the estimator's class.

        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure.

        curve_kwargs : dict or list of dict, default=None
            Keyword arguments for `matplotlib.axes.Axes.plot`.

        **params
            The other parameters of `score`, such as `qid`, `gain` or `sample_weight`.

        Returns
        -------
        display : RankingCurveDisplay
            The display, which is already drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError, TypeError
            For the same reasons as in `from_predictions`, and if the response of the estimator
            cannot be used.

        Warns
        -----
        sklearn.exceptions.UndefinedMetricWarning
            If a mean is NaN. The score itself issues the same warning.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import Ridge
        >>> from ranking_scores.plotting import RankingCurveDisplay
        >>> rng = np.random.default_rng(0)
        >>> X, qid = rng.normal(size=(100, 3)), np.repeat(np.arange(10), 10)
        >>> y = np.clip(np.round(X[:, 0] + rng.normal(size=100)), 0, 3)
        >>> ridge = Ridge().fit(X[qid < 5], y[qid < 5])
        >>> is_test = qid >= 5
        >>> display = RankingCurveDisplay.from_estimator(
        ...     ridge, X[is_test], y[is_test], qid=qid[is_test], k=range(1, 11)
        ... )
        >>> display.line_.get_label()
        'Ridge (nDCG@10 = 0.67...)'
        """
        function = "RankingCurveDisplay.from_estimator"
        pyplot_for(function)
        bands = confidence_level, ties, chance, unjudged
        settings = settings_of(score, k, params, function, bands)
        display = cls(**curve_of_estimator(settings, estimator, X, y, response_method, name))
        return display._plot(ax, None, curve_kwargs, function)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        score: Callable[..., Any] | str = "ndcg",
        response_method: str | Sequence[str] = RESPONSE_METHODS,
        k: Any = range(1, 51),
        chance: bool | None = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        **params: Any,
    ) -> RankingCurveDisplay:
        """Plot the curve of each fold of a cross-validation, and their mean.

        Parameters
        ----------
        cv_results : dict
            The result of `sklearn.model_selection.cross_validate` with
            ``return_estimator=True`` and ``return_indices=True``.

        X : array-like or sparse of shape (n_samples, n_features)
            The features that were passed to `cross_validate`.

        y : array-like or sparse
            The labels that were passed to `cross_validate`.

        score : callable or str, default="ndcg"
            Same as in `from_predictions`.

        response_method : str or sequence of str
            Same as in `from_estimator`.

        k : int or sequence of int, default=range(1, 51)
            Same as in `from_predictions`.

        chance : bool, default=None
            Same as in `from_predictions`. The level is the mean over the folds.

        name : str, default=None
            The name in the legend. None means the name of the estimators' class and the number
            of folds.

        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure.

        curve_kwargs : dict or list of dict, default=None
            Keyword arguments for `matplotlib.axes.Axes.plot`, for the mean curve.

        **params
            The other parameters of `score`. Pass `qid`, `sample_weight`, `item_weight` and
            `where` for all rows of `X`. Each fold uses its own rows.

        Returns
        -------
        display : RankingCurveDisplay
            The display, which is already drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError, TypeError
            For the same reasons as in `from_estimator`, if `cv_results` lacks the estimators or
            the indices, or if a query has rows in both the training and the test part of a fold.

        Warns
        -----
        sklearn.exceptions.UndefinedMetricWarning
            If the mean of a fold is NaN. The score itself issues the same warning.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import Ridge
        >>> from sklearn.model_selection import GroupKFold, cross_validate
        >>> from ranking_scores.plotting import RankingCurveDisplay
        >>> rng = np.random.default_rng(0)
        >>> X, qid = rng.normal(size=(100, 3)), np.repeat(np.arange(10), 10)
        >>> y = np.clip(np.round(X[:, 0] + rng.normal(size=100)), 0, 3)
        >>> folds = cross_validate(
        ...     Ridge(), X, y, groups=qid, cv=GroupKFold(5), return_estimator=True,
        ...     return_indices=True
        ... )
        >>> display = RankingCurveDisplay.from_cv_results(folds, X, y, qid=qid, k=range(1, 11))
        >>> display.line_.get_label()
        'Ridge, mean of 5 folds (nDCG@10 = 0.75...)'
        """
        function = "RankingCurveDisplay.from_cv_results"
        pyplot_for(function)
        for each in ("confidence_level", "ties", "unjudged"):
            if each in params:
                expected = "left out, since the folds are drawn instead of bands"
                raise invalid(each, function, expected, describe(params[each]))
        settings = settings_of(score, k, params, function, (None, False, chance, False))
        display = cls(**curves_of_folds(settings, cv_results, X, y, response_method, name))
        return display._plot(ax, None, curve_kwargs, function)

    def plot(
        self, ax: Any = None, *, name: str | Sequence[str] | None = None, curve_kwargs: Any = None
    ) -> RankingCurveDisplay:
        """Plot the curves.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is beside or above the axes.
            If the figure has no layout engine, the axes of its grid are moved once, so that no
            text is cut off.

        name : str or list of str, default=None
            The name of each model. None means the `name` of the display.

        curve_kwargs : dict or list of dict, default=None
            Keyword arguments for `matplotlib.axes.Axes.plot`. A dict applies to all curves, and a
            list has one dict per curve.

        Returns
        -------
        display : RankingCurveDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError, TypeError
            If the number of names or of dicts differs from the number of curves, or if a
            parameter has a wrong type.
        """
        return self._plot(ax, name, curve_kwargs, "RankingCurveDisplay.plot")

    def _plot(self, ax: Any, name: Any, curve_kwargs: Any, function: str) -> RankingCurveDisplay:
        """Draw the curves. Errors name the given function."""
        pyplot = pyplot_for(function)
        scores = np.atleast_2d(self.score)
        names = for_each(self.name if name is None else name, "name", str, len(scores), function)
        styles = for_each(curve_kwargs, "curve_kwargs", dict, len(scores), function)
        labels = [entry_of(*each) for each in zip(names, map(self._last, scores), strict=True)]
        styles = [
            {"label": label} | (own or {}) for label, own in zip(labels, styles, strict=True)
        ]
        with axes_or_new(ax, partial(axes_for, labels, pyplot), function) as self.ax_:
            self._draw(scores, styles)
        return self

    def _draw(self, scores: Floats, styles: Sequence[dict[str, Any]]) -> None:
        """Draw everything on the axes."""
        self.figure_ = self.ax_.figure
        self.confidence_band_, self.tie_band_, self.fold_line_ = [], [], []
        self.unjudged_band_ = []
        lines = []
        for number, (values, style) in enumerate(zip(scores, styles, strict=True)):
            line = draw_curve(self.ax_, self.k, values, style)
            self._draw_bands(number, line.get_color())
            lines.append(line)
        self.line_ = lines if self.score.ndim == 2 else lines[0]
        self.chance_level_ = None
        if self.chance is not None:
            label = new_label(self.ax_, entry_of("chance", self._last(self.chance)))
            style = {"color": GREY, "linestyle": ":", "linewidth": 2, "label": label}
            [self.chance_level_] = self.ax_.plot(*widen_single(self.k, self.chance), **style)
        of_confidence = f"{as_percent(self.confidence_level or 0)} confidence interval"
        for bands, text, style in (
            (self.confidence_band_, of_confidence, filled(GREY, self.ax_)),
            (self.tie_band_, "worst to best order of ties", HATCHED | {"edgecolor": GREY}),
            (self.unjudged_band_, "all labels of unjudged items", DOTTED | {"edgecolor": GREY}),
        ):
            label = new_label(self.ax_, text)
            if bands and bands is self.confidence_band_ and self.k.size == 1:
                self.ax_.plot([], [], color=GREY, label=label, **ERROR_BAR)
            elif bands:
                self.ax_.fill_between([], [], [], label=label, **style)
        if self.fold_line_:
            label = new_label(self.ax_, "each fold")
            self.ax_.plot([], [], color=GREY, label=label, **THIN)
        ax, n = self.ax_, self.n_queries
        ax.set_xlabel("cutoff k")
        of_queries = "" if n is None else f", mean of {count_queries(n)}"
        label, there = f"{self.score_name}@k{of_queries}", ax.yaxis.label
        present = there.get_text().replace("\n", " ")
        if there.get_gid() == CURVE and present != label:
            is_same = present.startswith(f"{self.score_name}@k")
            label = f"{self.score_name if is_same else 'score'}@k"
        write_beside(label, ax, gid=CURVE)
        ax.dataLim.update_from_data_x(self.k)  # needed if all values are NaN
        drawn = [line.get_xdata() for line in ax.lines if line.get_gid() == CURVE]
        k = np.unique(np.concatenate(drawn))
        if are_far(k):
            ax.set_xscale("log")
        ticks = ticks_for(k, is_log=ax.get_xscale() == "log")
        ax.set_xticks(ticks, [f"{tick:.0f}" for tick in ticks])
        ax.minorticks_off()
        draw_legend(self.ax_)

    def _last(self, values: Floats) -> str:
        """Return the last value of a curve as text."""
        name, value = f"{self.score_name}@{self.k[-1]}", float(values[-1])
        return f"{name} is undefined" if np.isnan(value) else f"{name} = {as_number(value)}"

    def _draw_bands(self, number: int, color: Any) -> None:
        """Draw the bands and the folds of a curve, in its colour."""
        for ends, style, bands in (
            ((self.low, self.high), filled(color, self.ax_), self.confidence_band_),
            ((self.worst, self.best), HATCHED | {"edgecolor": color}, self.tie_band_),
            ((self.lowest, self.highest), DOTTED | {"edgecolor": color}, self.unjudged_band_),
        ):
            low, high = (None if end is None else np.atleast_2d(end)[number] for end in ends)
            if low is None or high is None or np.isnan(low).all():
                continue
            if self.k.size == 1 and bands is self.confidence_band_:
                bar = self.ax_.plot(np.repeat(self.k, 2), [*low, *high], color=color, **ERROR_BAR)
                bands.extend(bar)
            else:
                bands.append(self.ax_.fill_between(*widen_single(self.k, low, high), **style))
        for values in () if self.fold_scores is None else self.fold_scores:
            marker = "_" if self.k.size == 1 else None
            self.fold_line_ += self.ax_.plot(self.k, values, color=color, marker=marker, **THIN)
