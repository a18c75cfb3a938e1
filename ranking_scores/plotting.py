"""Plots of scores and of comparisons, with the Display protocol of scikit-learn.

Plots need matplotlib. It is imported on the first plot, so importing this module does not need it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing  # private by name only: 1.6 to 1.9 export it
from sklearn.utils.validation import _num_samples

from ranking_scores._base import (
    Cutoffs,
    as_cell,
    as_ndarray,
    as_percent,
    check_bool,
    check_cutoffs,
    check_identifiers,
    check_real_array,
    count_queries,
    describe,
    import_extra,
    invalid,
    problem_of,
    unique_identifiers,
)
from ranking_scores._metrics import (
    ARRAY_PARAMETERS,
    NamedScore,
    as_it_is,
    bind_score,
    find_score,
    need_of,
    parameters_of,
    run_on,
)
from ranking_scores._queries import check_queries
from ranking_scores._statistics import alpha_of, check_level, t_interval
from ranking_scores._tables import RankingData, arrays_of
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import by_chance, check_no_order
from ranking_scores.scorers import response_of
from ranking_scores.significance import Comparison, Comparisons
from ranking_scores.ties import best_order, check_falls, differs, worst_order

__all__ = ["ComparisonDisplay", "QueryDifferenceDisplay", "RankingCurveDisplay"]


def __dir__() -> list[str]:
    return __all__


Floats = NDArray[np.float64]

_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
"""The colours of Okabe and Ito that are visible on white and on black."""
_LINES: tuple[Any, ...] = ("-", "--", "-.", (0, (8, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# The three lengths differ, so that a combination repeats only after 120 curves.
_GREY = "0.5"
_HIGHER: dict[str, Any] = {"facecolor": _COLORS[0], "edgecolor": _COLORS[0]}
_LOWER: dict[str, Any] = {"facecolor": _COLORS[3], "edgecolor": _COLORS[1], "hatch": "//"}
_HATCHED: dict[str, Any] = {"facecolor": "none", "hatch": "////", "alpha": 0.8, "linewidth": 0}
_THIN: dict[str, Any] = {"alpha": 0.7, "linewidth": 1}
_ERROR_BAR: dict[str, Any] = {"linestyle": "-", "linewidth": 1.5, "marker": "_", "markersize": 12}
_CURVE = "ranking_scores.curve"
"""The mark of curves, by which the next curve on the same axes finds an unused style."""
_N_MARKERS = 8
"""The approximate number of markers of a curve."""
_LONGEST = 44
"""The greatest number of characters in a line of the legend."""
_SHORTEST = 28
"""The number of characters in a line below narrow axes."""
_WIDEST_OF_OURS = 36
"""The length of the longest entry of a legend that is not the name of a model."""
_NO_BREAK = "\N{NO-BREAK SPACE}"
_INCHES_PER_CHARACTER, _INCHES_PER_LINE = 0.09, 0.22
_NARROW, _WIDE = 2.5, 4.5
"""The least width of axes beside a legend, and of axes with two legend columns, in inches."""
_SMALLEST = 5
"""The smallest font size of a legend, in points."""
_SMALLEST_NUMBER = 6
"""The smallest font size of numbers beside bars, in points. Smaller ones are left out."""
_MANY_QUERIES = 30
_MANY = 12
"""The greatest number of cutoffs that all have a tick label."""
_LOG_FROM = 5
"""The scale is logarithmic if the largest step between cutoffs exceeds this times the smallest."""
_LOG_TO = 100
"""The scale of many cutoffs is logarithmic if the last exceeds this times the first."""
_LONGEST_ID = 0.2
"""The largest share of the figure's height for ids of queries below the axes."""

_TITLES = {
    "ndcg": "nDCG",
    "dcg": "DCG",
    "map": "MAP",
    "mrr": "MRR",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "hit_rate": "hit rate",
    "err": "ERR",
    "rbp": "RBP",
}
"""The common names of the scores with cutoffs."""

_RESPONSE_METHODS = ("decision_function", "predict_proba", "predict")


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
    sklearn.metrics.RocCurveDisplay : A display of scikit-learn with the same methods.

    Notes
    -----
    The extra ``plot`` installs matplotlib: ``python -m pip install "ranking-scores[plot]"``. In a
    script, call ``matplotlib.pyplot.show()`` to show the plot.

    Colour-blind people can distinguish the colours, which are those of Okabe and Ito. Lines and
    markers differ as well, so the plot can be printed in grey.

    Examples
    --------
    The means can come from a stream:

    >>> from ranking_scores import StreamingScore
    >>> from ranking_scores.plotting import RankingCurveDisplay
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
        chance: ArrayLike | None = None,
        fold_scores: ArrayLike | None = None,
        name: str | Sequence[str] | None = None,
        score_name: str = "score",
        confidence_level: float | None = 0.95,
        n_queries: int | None = None,
    ) -> None:
        # Arrays in the form in which they are drawn. None stays None.
        self.k: NDArray[Any] = _rising(k)
        n_k = self.k.size
        self.score: Floats = _array("score", score, (-1, n_k)[-max(np.ndim(score), 1) :])
        shape = self.score.shape
        self.low = _array("low", low, shape)
        self.high = _array("high", high, shape)
        self.worst = _array("worst", worst, shape)
        self.best = _array("best", best, shape)
        self.chance = _array("chance", chance, (n_k,))
        self.fold_scores = _array("fold_scores", fold_scores, (-1, n_k))
        self.name = name
        self.score_name = score_name
        self.confidence_level = confidence_level
        self.n_queries = n_queries
        for ends in (("low", "high"), ("worst", "best")):
            for one, other in (ends, ends[::-1]):
                if getattr(self, one) is None and getattr(self, other) is not None:
                    expected = f"given with `{other}`"
                    raise invalid(one, "RankingCurveDisplay", expected, "None")
        if confidence_level is not None:
            check_level(confidence_level, "RankingCurveDisplay")
        _check_titles(score_name, n_queries)
        if self.low is not None and (self.low > self.high).any():
            place = ", ".join(map(str, np.argwhere(self.low > self.high)[0]))
            got = f"a higher one at position {place}"
            raise invalid("low", "RankingCurveDisplay", "at most as high as `high`", got)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | RankingData,
        y_score: Any = None,
        *,
        score: Callable[..., Any] | str = "ndcg",
        k: Any = range(1, 51),
        confidence_level: float | None = 0.95,
        ties: bool | None = None,
        chance: bool | None = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        **params: Any,
    ) -> RankingCurveDisplay:
        """Plot the curve of one model or of several models from their scores.

        The items of each query are ranked once for all cutoffs.

        Parameters
        ----------
        y_true : array-like, sparse or RankingData
            The labels, in any layout that `score` accepts. Or the result of
            `ranking_scores.from_tables` or `ranking_scores.from_table`, without `y_score`.

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
        _pyplot(function)
        y_true, y_score, _ = arrays_of(y_true, y_score, None, function)
        bands = {"confidence_level": confidence_level, "ties": ties, "chance": chance}
        ask = _ask(_score_with_cutoffs(score, k, params, function), bands, function)
        models = _check_models(y_score, name, function)
        is_single = not isinstance(y_score, Mapping)
        curves = []
        for key, each in models.items():
            with _errors_of("y_score" if is_single else f"y_score[{key!r}]", function):
                curves.append(_curve_of(ask, y_true, each))
        curve, name_or_names = (curves[0], name) if is_single else (_stack(curves), list(models))
        level = _chance_of(ask, y_true, list(models.values()))
        display = cls(**curve, **_titles(ask), name=name_or_names, chance=level)
        return display._plot(ax, None, curve_kwargs, function)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        response_method: str | Sequence[str] = _RESPONSE_METHODS,
        score: Callable[..., Any] | str = "ndcg",
        k: Any = range(1, 51),
        confidence_level: float | None = 0.95,
        ties: bool | None = None,
        chance: bool | None = None,
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

        response_method : str or sequence of str
            The method of the estimator that computes the scores. In a sequence, the first method
            that the estimator has is used. By default "decision_function", "predict_proba",
            "predict". The columns of a response are matched to classes as in
            `make_ranking_scorer`.

        score : callable or str, default="ndcg"
            Same as in `from_predictions`.

        k : int or sequence of int, default=range(1, 51)
            Same as in `from_predictions`.

        confidence_level : float or None, default=0.95
            Same as in `from_predictions`.

        ties : bool, default=None
            Same as in `from_predictions`.

        chance : bool, default=None
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
        _pyplot(function)
        bands = {"confidence_level": confidence_level, "ties": ties, "chance": chance}
        ask = _ask(_score_with_cutoffs(score, k, params, function), bands, function)
        _check_estimator(estimator, _check_methods(response_method, function), function)
        y_true, y_score, ask = _response(ask, estimator, X, y, response_method)
        curve = _curve_of(ask, y_true, y_score)
        name = type(estimator).__name__ if name is None else name
        level = _chance_of(ask, y_true, [y_score])
        display = cls(**curve, **_titles(ask), name=name, chance=level)
        return display._plot(ax, None, curve_kwargs, function)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        response_method: str | Sequence[str] = _RESPONSE_METHODS,
        score: Callable[..., Any] | str = "ndcg",
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

        response_method : str or sequence of str
            Same as in `from_estimator`.

        score : callable or str, default="ndcg"
            Same as in `from_predictions`.

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
        _pyplot(function)
        for each in ("confidence_level", "ties"):
            if each in params:
                expected = "left out, since the folds are drawn instead of bands"
                raise invalid(each, function, expected, describe(params[each]))
        bands = {"confidence_level": None, "ties": False, "chance": chance}
        ask = _ask(_score_with_cutoffs(score, k, params, function), bands, function)
        _check_methods(response_method, function)
        estimators, parts = _folds_of(cv_results, X, y, ask)
        scores: list[Floats] = []
        levels: list[Any] = []
        for estimator, test in zip(estimators, parts, strict=True):
            of_fold = _of_rows(ask, test)
            X_test, y_test = (_safe_indexing(each, test) for each in (X, y))
            y_true, y_score, of_fold = _response(
                of_fold, estimator, X_test, y_test, response_method
            )
            scores.append(_curve_of(of_fold, y_true, y_score)["score"])
            levels.append(_chance_of(of_fold, y_true, [y_score]))
        if name is None:
            name = f"{type(estimators[0]).__name__}, mean of {len(parts)} folds"
        display = cls(
            score=np.mean(scores, axis=0),
            fold_scores=scores,
            chance=None if levels[0] is None else np.mean(levels, axis=0),
            name=name,
            **_titles(ask),
        )
        return display._plot(ax, None, curve_kwargs, function)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | Sequence[str] | None = None,
        curve_kwargs: Any = None,
    ) -> RankingCurveDisplay:
        """Plot the curves.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is outside of the axes if
            their figure has the "constrained" layout, like a new figure, and if there is enough
            room. Otherwise it is inside.

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
        pyplot = _pyplot(function)
        scores = np.atleast_2d(self.score)
        names = _for_each(self.name if name is None else name, "name", str, len(scores), function)
        styles = _for_each(curve_kwargs, "curve_kwargs", dict, len(scores), function)
        labels = [
            _label(each, self._last(values)) for each, values in zip(names, scores, strict=True)
        ]
        styles = [
            {"label": label} | (own or {}) for label, own in zip(labels, styles, strict=True)
        ]
        with _axes_or_new(ax, partial(_axes_for, labels, pyplot), function) as self.ax_:
            self._draw(scores, styles)
        return self

    def _draw(self, scores: Floats, styles: Sequence[dict[str, Any]]) -> None:
        """Draw everything on the axes."""
        self.figure_ = self.ax_.figure
        self.confidence_band_, self.tie_band_, self.fold_line_ = [], [], []
        lines = []
        for number, (values, style) in enumerate(zip(scores, styles, strict=True)):
            line = _draw_curve(self.ax_, self.k, values, style)
            self._draw_bands(number, line.get_color())
            lines.append(line)
        self.line_ = lines if self.score.ndim == 2 else lines[0]
        self.chance_level_ = None if self.chance is None else self._draw_chance(self.chance)
        self._explain_bands()
        self._label_axes()
        _draw_legend(self.ax_)

    def _last(self, values: Floats) -> str:
        """Return the last value of a curve as text."""
        name, value = f"{self.score_name}@{self.k[-1]}", float(values[-1])
        return f"{name} is undefined" if np.isnan(value) else f"{name} = {as_cell(value)}"

    def _draw_bands(self, number: int, color: Any) -> None:
        """Draw the bands and the folds of a curve, in its colour."""
        for ends, style, bands in (
            ((self.low, self.high), _filled(color, self.ax_), self.confidence_band_),
            ((self.worst, self.best), _HATCHED | {"edgecolor": color}, self.tie_band_),
        ):
            low, high = (None if end is None else np.atleast_2d(end)[number] for end in ends)
            if low is None or high is None or np.isnan(low).all():
                continue
            if self.k.size == 1 and bands is self.confidence_band_:
                bar = self.ax_.plot(np.repeat(self.k, 2), [*low, *high], color=color, **_ERROR_BAR)
                bands.extend(bar)
            else:
                bands.append(self.ax_.fill_between(*_widened(self.k, low, high), **style))
        for values in () if self.fold_scores is None else self.fold_scores:
            marker = "_" if self.k.size == 1 else None
            self.fold_line_ += self.ax_.plot(self.k, values, color=color, marker=marker, **_THIN)

    def _draw_chance(self, chance: Floats) -> Any:
        """Draw the chance level."""
        label = _new_label(self.ax_, _label("chance", self._last(chance)))
        style = {"color": _GREY, "linestyle": ":", "linewidth": 2, "label": label}
        [line] = self.ax_.plot(*_widened(self.k, chance), **style)
        return line

    def _explain_bands(self) -> None:
        """Add the bands and the folds to the legend."""
        of_confidence = f"{as_percent(self.confidence_level or 0)} confidence interval"
        for bands, text, style in (
            (self.confidence_band_, of_confidence, _filled(_GREY, self.ax_)),
            (self.tie_band_, "worst to best order of ties", _HATCHED | {"edgecolor": _GREY}),
        ):
            label = _new_label(self.ax_, text)
            if bands and bands is self.confidence_band_ and self.k.size == 1:
                self.ax_.plot([], [], color=_GREY, label=label, **_ERROR_BAR)
            elif bands:
                self.ax_.fill_between([], [], [], label=label, **style)
        if self.fold_line_:
            label = _new_label(self.ax_, "each fold")
            self.ax_.plot([], [], color=_GREY, label=label, **_THIN)

    def _label_axes(self) -> None:
        """Label the axes, and choose the scale and the ticks, for all curves on them."""
        ax, n = self.ax_, self.n_queries
        ax.set_xlabel("cutoff k")
        of_queries = "" if n is None else f", mean of {count_queries(n)}"
        label, there = f"{self.score_name}@k{of_queries}", ax.yaxis.label
        if there.get_gid() == _CURVE and there.get_text() != label:
            is_same = there.get_text().startswith(f"{self.score_name}@k")
            label = f"{self.score_name if is_same else 'score'}@k"
        ax.set_ylabel(label, gid=_CURVE)
        ax.dataLim.update_from_data_x(self.k)  # needed if all values are NaN
        drawn = [line.get_xdata() for line in ax.lines if line.get_gid() == _CURVE]
        k = np.unique(np.concatenate(drawn))
        if _are_far(k):
            ax.set_xscale("log")
        ticks = _ticks_for(k, is_log=ax.get_xscale() == "log")
        ax.set_xticks(ticks, [f"{each:.0f}" for each in ticks])
        ax.minorticks_off()


class ComparisonDisplay:
    """Plot of the differences between systems, with their confidence intervals.

    Each comparison has a bar from 0 to the difference. The bars of significant differences are
    filled.

    Parameters
    ----------
    comparisons : Comparisons or Comparison
        The result of `ranking_scores.significance.compare_all` or of `compare`.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    bars_ : matplotlib.container.BarContainer
        The bars, with the first comparison at the top.

    interval_ : list of matplotlib.lines.Line2D
        The confidence intervals.

    zero_line_ : matplotlib.lines.Line2D
        The line at a difference of 0.

    Raises
    ------
    ValueError, TypeError
        If `comparisons` is another object. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.significance.compare_all : Computes the comparisons.
    QueryDifferenceDisplay : Plots the difference of each query.

    Notes
    -----
    A difference is significant if its corrected p-value is at most 1 minus the confidence level.
    The interval of a significant difference may still contain 0, and that of another difference
    may not, unless p-value and interval come from the same statistic, as with
    ``correction="max-t"``. The interval of a one-sided test has one limit, and an arrow at the
    other end.

    Examples
    --------
    >>> import numpy as np
    >>> from ranking_scores.plotting import ComparisonDisplay
    >>> from ranking_scores.significance import compare_all
    >>> rng = np.random.default_rng(0)
    >>> old = rng.random(50)
    >>> scores = {"old": old, "new": old + rng.normal(0.1, 0.2, 50)}
    >>> scores["other"] = old + rng.normal(0, 0.2, 50)
    >>> display = ComparisonDisplay(compare_all(scores, baseline="old", random_state=0)).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['new', 'other']
    >>> [text.get_text() for text in display.ax_.texts]
    ['0.1066, p = 0.0...', '0.0054, p = 0.9...']
    """

    ax_: Any
    figure_: Any
    bars_: Any
    interval_: list[Any]
    zero_line_: Any

    def __init__(self, comparisons: Comparisons | Comparison) -> None:
        if not isinstance(comparisons, (Comparison, Comparisons)):
            expected = "a result of compare_all or compare"
            raise invalid("comparisons", "ComparisonDisplay", expected, describe(comparisons))
        self.comparisons = comparisons

    def plot(self, ax: Any = None) -> ComparisonDisplay:
        """Plot the comparisons.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is outside of the axes if
            their figure has the "constrained" layout, like a new figure, and if there is enough
            room. Otherwise it is inside.

        Returns
        -------
        display : ComparisonDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        pyplot = _pyplot("ComparisonDisplay.plot")
        found = self.comparisons
        rows = [found] if isinstance(found, Comparison) else list(found)
        labels = self._labels(rows)
        width, height = pyplot.rcParams["figure.figsize"]
        n_lines = sum(label.count("\n") + 2 for label in labels)
        size = 1.3 * width, max(height / 2, _INCHES_PER_LINE * (n_lines + 8))
        new = partial(_new_axes, size, pyplot)
        with _axes_or_new(ax, new, "ComparisonDisplay.plot") as self.ax_:
            self._draw(rows, labels)
        return self

    def _draw(self, rows: Sequence[Comparison], labels: Sequence[str]) -> None:
        """Draw everything on the axes."""
        found, ax = self.comparisons, self.ax_
        self.figure_ = ax.figure
        self.zero_line_ = ax.axvline(0, color=_ink(ax), linewidth=0.8)
        self.bars_ = self._draw_bars(rows)
        self.interval_ = self._draw_intervals(rows)
        ax.set_yticks(range(len(labels)), labels)
        ax.set_ylim(len(labels) - 0.4, -0.6)
        n_queries, how, *_ = found._notes()
        _write_below(f"{self._what(rows)}, mean of {n_queries}", ax)
        self._write_numbers(rows)
        n_columns = 2 if _room(ax)[0] > _WIDE else 1
        style = {"title": _fill(how, ax), "alignment": "left", "ncols": n_columns}
        legend = _draw_legend(ax, is_beside=False, inside="lower left", **style)
        if legend is not None:  # below the bars
            bottom, top = ax.get_ylim()
            ax.set_ylim(top + _widen(bottom - top, legend, axis=1), top)

    def _baseline(self) -> str | None:
        """Return the system that all others are compared with, or None."""
        found = self.comparisons
        return found.baseline if isinstance(found, Comparisons) else None

    def _labels(self, rows: Sequence[Comparison]) -> list[str]:
        """Return the label of each row."""
        has_several = len({row.metric for row in rows}) > 1
        labels = []
        for row in rows:
            is_plain = self._baseline() is not None
            label = row.system_b if is_plain else f"{row.system_b} - {row.system_a}"
            labels.append(_wrap(f"{label}, {row.metric}" if has_several else label))
        return labels

    def _what(self, rows: Sequence[Comparison]) -> str:
        """Return a description of the lengths of the bars."""
        metrics, baseline = {row.metric for row in rows}, self._baseline()
        metric = metrics.pop() if len(metrics) == 1 else None
        of_metric = "" if metric is None else f" in {metric}"
        return _escape(f"difference{of_metric}{'' if baseline is None else f' from {baseline}'}")

    def _draw_bars(self, rows: Sequence[Comparison]) -> Any:
        """Draw the differences, filled if they are significant."""
        ax = self.ax_
        meanings = {
            "significantly higher": _HIGHER,
            "significantly lower": _LOWER,
            "not significant": {"facecolor": "none", "edgecolor": _GREY},
        }
        bars = ax.barh(range(len(rows)), [row.difference for row in rows], height=0.6)
        seen = set()
        for bar, row in zip(bars, rows, strict=True):
            is_significant = row.pvalue <= alpha_of(row.confidence_level)
            kind = 2 - is_significant * (1 + (row.difference > 0))
            meaning, style = list(meanings.items())[kind]
            seen.add(meaning)
            bar.set(**style)
        for meaning, style in meanings.items():
            if meaning in seen:
                ax.fill_between([], [], [], label=meaning, **style)
        return bars

    def _write_numbers(self, rows: Sequence[Comparison]) -> None:
        """Write the difference and the p-value beside each bar, if there is room for them."""
        ax, numbers = self.ax_, []
        at = {"xycoords": ax.get_yaxis_transform(), "va": "center", "annotation_clip": False}
        for number, row in enumerate(rows):
            text = f"{as_cell(row.difference)}, {_as_pvalue(row.pvalue)}"
            numbers.append(ax.annotate(text, (1.01, number), color=_ink(ax), **at))
        width = max(_inches(each)[0] for each in numbers)
        if _is_constrained(ax) and _room(ax)[0] - width >= _NARROW:
            return
        _lay_out(ax)
        room, height = _room(ax)
        of_row = 72 * height / 2 / len(rows)  # the legend takes the other half
        size = min(of_row / 1.75, numbers[0].get_fontsize() * min(room / 3 / width, 1))
        is_narrow = size < _SMALLEST_NUMBER
        size = min(of_row / 3.5, 8) if is_narrow else size
        for each in numbers:
            text = each.get_text().replace(", ", "\n") if is_narrow else each.get_text()
            each.set(x=0.98, ha="right", fontsize=size, text=text)
        if size < _SMALLEST_NUMBER:
            for each in numbers:
                each.remove()
            return
        left, right = ax.get_xlim()
        widest = max(numbers, key=lambda each: _inches(each)[0])
        ax.set_xlim(left, left + _widen(right - left, widest, axis=0))

    def _draw_intervals(self, rows: Sequence[Comparison]) -> list[Any]:
        """Draw the intervals, with an arrow instead of an infinite limit."""
        ax = self.ax_
        ends = np.array([[row.low, row.high] for row in rows])
        known = np.array([0, *ends.flat, *(row.difference for row in rows)])
        known = known[np.isfinite(known)]
        beyond = 0.1 * (np.ptp(known) or 1)
        drawn = np.clip(ends, known.min() - beyond, known.max() + beyond)
        lines = []
        for number, (low, high) in enumerate(drawn.tolist()):
            style = {"color": _ink(ax), "linewidth": 1.5}
            lines += ax.plot([low, high], [number, number], **style)
            for x, end, arrow in ((low, ends[number, 0], "<"), (high, ends[number, 1], ">")):
                marker = arrow if np.isinf(end) else "|"
                ax.plot(x, number, marker=marker, markersize=8, markeredgewidth=1.5, **style)
        level = as_percent(rows[0].confidence_level)
        lines[0].set_label(f"{level} confidence interval")
        return lines


class QueryDifferenceDisplay:
    """Plot of the difference between two systems on each query.

    The plot shows how many queries score higher, how many score lower, and by how much.

    Parameters
    ----------
    comparison : Comparison
        The result of `ranking_scores.significance.compare`, or one row of the result of
        `compare_all`, such as ``comparisons[0]``.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes of the plot.

    figure_ : matplotlib.figure.Figure
        The figure of the axes.

    higher_ : matplotlib.patches.StepPatch
        The bars of the queries with a higher score, with the highest difference first.

    lower_ : matplotlib.patches.StepPatch
        The bars of the queries with a lower score.

    mean_line_ : matplotlib.lines.Line2D
        The mean difference.

    interval_ : matplotlib.patches.Rectangle
        The confidence interval of the mean difference.

    Raises
    ------
    ValueError, TypeError
        If `comparison` is another object. The error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.significance.compare : Computes the comparison.
    ComparisonDisplay : Plots the mean differences of several comparisons.

    Notes
    -----
    In most metrics, a higher score is better. For ``arp``, the average relevant position, a lower
    score is better, so queries with a higher score are those that got worse.

    Queries on which one of the scores is undefined are left out, and their number is written
    below the axes. The ids of the queries are also written there, if there are at most 30 and if
    they are not too long. The ids come from reports, or from the index of a pandas Series unless
    it only numbers the rows.

    Examples
    --------
    >>> from ranking_scores.plotting import QueryDifferenceDisplay
    >>> from ranking_scores.significance import compare
    >>> comparison = compare([0.2, 0.4, 0.6, 0.8], [0.5, 0.4, 0.5, 1.0])
    >>> display = QueryDifferenceDisplay(comparison).plot()
    >>> display.higher_.get_label(), display.lower_.get_label()
    ('higher: 2 queries', 'lower: 1 query')
    """

    ax_: Any
    figure_: Any
    higher_: Any
    lower_: Any
    mean_line_: Any
    interval_: Any

    def __init__(self, comparison: Comparison) -> None:
        if not isinstance(comparison, Comparison):
            expected = "a result of compare, or a row of a result of compare_all"
            is_several = isinstance(comparison, Comparisons)
            got = "Comparisons" if is_several else describe(comparison)
            raise invalid("comparison", "QueryDifferenceDisplay", expected, got)
        self.comparison = comparison

    def plot(self, ax: Any = None) -> QueryDifferenceDisplay:
        """Plot the differences in decreasing order.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            The axes to draw on. None makes a new figure. The legend is outside of the axes if
            their figure has the "constrained" layout, like a new figure, and if there is enough
            room. Otherwise it is inside.

        Returns
        -------
        display : QueryDifferenceDisplay
            This display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        pyplot = _pyplot("QueryDifferenceDisplay.plot")
        new = partial(_axes_for, [], pyplot)
        with _axes_or_new(ax, new, "QueryDifferenceDisplay.plot") as self.ax_:
            self._draw()
        return self

    def _draw(self) -> None:
        """Draw everything on the axes."""
        found, ax = self.comparison, self.ax_
        self.figure_ = ax.figure
        order = np.argsort(-found.per_query, kind="stable")[: found.n_queries]  # NaN sorts last
        difference = found.per_query[order]
        edges = np.arange(len(order) + 1) + 0.5
        self.higher_, self.lower_ = (
            ax.stairs(values, edges, fill=True, label=f"{what}: {count_queries(n)}", **style)
            for what, n, values, style in (
                ("higher", found.wins, np.maximum(difference, 0), _HIGHER),
                ("lower", found.losses, np.minimum(difference, 0), _LOWER),
            )
        )
        equal = f"equal: {count_queries(found.draws)}"
        ax.axhline(0, color=_ink(ax), linewidth=0.8, label=equal)
        mean = f"mean: {as_cell(found.difference) if found.n_queries else 'undefined'}"
        self.mean_line_ = ax.axhline(found.difference, color=_ink(ax), linestyle="--", label=mean)
        self.interval_ = self._draw_interval(difference)
        self._label_axes(order)
        legend = _draw_legend(ax, inside="upper right")
        if legend is not None:  # above the bars
            bottom, top = ax.get_ylim()
            ax.set_ylim(bottom, bottom + _widen(top - bottom, legend, axis=1))

    def _draw_interval(self, difference: Floats) -> Any:
        """Draw the interval of the mean. An infinite limit is cut off at the data."""
        found = self.comparison
        if np.isnan(found.low):
            return None
        ends = np.clip([found.low, found.high], difference.min(), difference.max())
        label = f"{as_percent(found.confidence_level)} confidence interval of the mean"
        return self.ax_.axhspan(*ends, color=_GREY, alpha=0.3, linewidth=0, label=label)

    def _label_axes(self, order: NDArray[Any]) -> None:
        """Label the axes, and write the ids of the queries if there is room."""
        found, ax = self.comparison, self.ax_
        of_metric = "" if found.metric is None else f" in {found.metric}"
        ax.set_ylabel(_wrap(f"difference{of_metric}, {found.system_b} - {found.system_a}"))
        _write_below(f"{found._notes()[0]}, the highest difference first", ax)
        ax.set_xticks([])
        if found.query_ids is not None and 0 < order.size <= _MANY_QUERIES:
            names = [_escape(str(each)) for each in found.query_ids[order].tolist()]
            length = _INCHES_PER_CHARACTER * max(map(len, names))
            if length < _LONGEST_ID * _inches(ax.figure)[1]:
                ax.set_xticks(np.arange(order.size) + 1, names, rotation=90)


class _Ask(NamedTuple):
    """The settings of the curve of each model."""

    door: str
    score: NamedScore
    """The score with its options, including the cutoffs."""
    level: float | None
    """The level of the confidence intervals, or None for no intervals."""
    has_ties: bool
    has_chance: bool | None
    """Whether to draw the chance level. None means unless it is unknown which items are ranked."""

    @property
    def cutoffs(self) -> NDArray[np.int64]:
        """The cutoffs, in increasing order."""
        k: Cutoffs = self.score.options["k"]
        return k.ranks


def _score_with_cutoffs(score: Any, k: Any, params: dict[str, Any], door: str) -> NamedScore:
    """Return the score with its options and its cutoffs, in increasing order."""
    found = find_score(score, door, names=_TITLES, form="")
    if "k" not in parameters_of(found.function):
        expected = "a score with cutoffs, which takes `k`"
        raise invalid("score", door, expected, describe(score))
    if "k" in found.options:
        expected = "a score without a cutoff of its own, since `k` has the cutoffs"
        raise invalid("score", door, expected, describe(score))
    ranks = np.unique(check_cutoffs(k, door, allow_none=False).ranks)
    cutoffs = Cutoffs(ranks, is_single=False)
    bound = bind_score(partial(found.function, **found.options), params | {"k": cutoffs}, door)
    if "average" in bound.options:
        expected = "left out, since the curve shows means"
        raise invalid("average", door, expected, describe(bound.options["average"]))
    return bound


def _ask(score: NamedScore, bands: dict[str, Any], door: str) -> _Ask:
    """Return the settings of the curves, after checking them."""
    level = bands["confidence_level"]
    if level is not None:
        level = check_level(level, door)
    for name in ("ties", "chance"):
        if bands[name] is not None and check_bool(bands[name], name, door):
            check_no_order([score], name, door)
    has_one_order = score.options.get("ignore_ties", False) is not False
    ties, chance = bands["ties"], bands["chance"]
    if ties is None:
        ties = not (has_one_order or callable(score.options.get("discount")))
    if chance is None and has_one_order:
        chance = False
    return _Ask(door, score, level, ties, chance)


def _check_models(y_score: Any, name: Any, door: str) -> Mapping[str, Any]:
    """Return the scores of each model by its name."""
    if not isinstance(y_score, Mapping):
        return {"": y_score}
    if name is not None:
        expected = "None if y_score is a dict, whose keys are the names"
        raise invalid("name", door, expected, describe(name))
    if not y_score:
        raise invalid("y_score", door, "a dict with at least one model", describe(y_score))
    for key in y_score:
        if not isinstance(key, str) or not key:
            expected = "a dict whose keys are non-empty strings, if it is a dict"
            raise invalid("y_score", door, expected, f"the key {describe(key)}")
    return y_score


def _curve_of(ask: _Ask, y_true: Any, y_score: Any) -> dict[str, Any]:
    """Return the values of a model's curve, by the parameters of the display."""
    plan = ask.score.plan(y_true, y_score)
    views = (as_it_is, worst_order, best_order) if ask.has_ties else (as_it_is,)
    tasks = [(plan, view) for view in views]
    queries = check_queries(plan.data, need_of(tasks))
    if ask.has_ties:
        check_falls(ask.score.options.get("discount"), ask.cutoffs, queries.longest, ask.door)
    evaluation, *orders = run_on(queries, tasks)
    mean = np.asarray(evaluation.result())
    errors, counts = np.array(evaluation.errors()).T
    curve = {"score": mean, "n_queries": int(counts.max())}
    if ask.level is not None:
        curve["low"], curve["high"] = t_interval(mean, errors, counts, ask.level)
    if orders and differs(*orders).any():
        worst, best = ([sums.mean() for sums in order.sums()] for order in orders)
        curve |= {"worst": worst, "best": best}
    return curve


def _stack(curves: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the values of several models' curves, with NaN for what a model lacks."""
    fields = {name for curve in curves for name in curve} - {"n_queries"}
    nothing = np.full(curves[0]["score"].shape, np.nan)
    stacked = {name: [curve.get(name, nothing) for curve in curves] for name in fields}
    return stacked | {"n_queries": curves[0]["n_queries"]}


def _chance_of(ask: _Ask, y_true: Any, scores: Sequence[Any]) -> Floats | None:
    """Return the chance level, if it is to be drawn."""
    is_known = not any(map(issparse, scores))
    if ask.has_chance is False or (ask.has_chance is None and not is_known):
        return None
    of_sparse = [each for each in scores if issparse(each)]
    plan = ask.score.plan(y_true, (of_sparse or scores)[0])
    [evaluation] = by_chance([plan], plan.data, ask.door)
    return np.array([sums.mean() for sums in evaluation.sums()])


def _titles(ask: _Ask) -> dict[str, Any]:
    """Return the cutoffs, the name of the score, and the confidence level."""
    name = _TITLES[ask.score.name]
    return {"k": ask.cutoffs, "score_name": name, "confidence_level": ask.level}


def _response(
    ask: _Ask, estimator: Any, X: Any, y: Any, response_method: str | Sequence[str]
) -> tuple[Any, Any, _Ask]:
    """Return the labels and the scores of an estimator, and the settings of the curve."""
    given = {name: each for name, each in ask.score.options.items() if each is not None}
    del given["k"]
    taken = response_of(estimator, X, y, given, response_method, ask.door)
    y_true, y_score = taken.pop("y_true"), taken.pop("y_score")
    return y_true, y_score, _with_options(ask, taken)


def _with_options(ask: _Ask, options: dict[str, Any]) -> _Ask:
    """Return the settings with other options of the score."""
    return ask._replace(score=ask.score._replace(options=ask.score.options | options))


def _of_rows(ask: _Ask, rows: Any) -> _Ask:
    """Return the settings for some rows of the data."""
    options = ask.score.options
    given = [name for name in ARRAY_PARAMETERS if options.get(name) is not None]
    return _with_options(ask, {name: _safe_indexing(options[name], rows) for name in given})


def _folds_of(cv_results: Any, X: Any, y: Any, ask: _Ask) -> tuple[list[Any], list[Any]]:
    """Return the estimator and the test rows of each fold."""
    door, expected = ask.door, "the result of cross_validate"
    advice = "Call it with return_estimator=True and return_indices=True."
    if not isinstance(cv_results, Mapping):
        raise invalid("cv_results", door, expected, describe(cv_results), advice)
    for key in ("estimator", "indices"):
        if key not in cv_results:
            raise invalid("cv_results", door, expected, f"no {key!r} in it", advice)
    estimators, indices = list(cv_results["estimator"]), cv_results["indices"]
    n_rows = 1 + max(int(rows.max()) for part in ("train", "test") for rows in indices[part])
    own = {name: ask.score.options.get(name) for name in ARRAY_PARAMETERS[1:]}
    for name, values in ({"X": X, "y": y} | own).items():
        is_sized = hasattr(values, "shape") or hasattr(values, "__len__")
        n_given = _num_samples(values) if is_sized else 0
        if values is not None and n_given < n_rows:
            expected = f"of at least {n_rows} rows, as many as the indices of cv_results need"
            got = f"{n_given} rows" if is_sized else describe(values)
            raise invalid(name, door, expected, got)
    qid = ask.score.options.get("qid")
    if qid is not None:
        ids = check_identifiers(qid, "qid", door)
        if ids.size != np.size(y):
            expected = f"of shape ({np.size(y)},), the query id of each row of X"
            raise invalid("qid", door, expected, f"shape {ids.shape}")
        names, query = unique_identifiers(ids, "qid", door)
        for train, test in zip(indices["train"], indices["test"], strict=True):
            both = np.intersect1d(query[train], query[test])
            if both.size:
                got = f"rows of the query {names[both[0]].item()!r} in both parts of a fold"
                expected = "such that each fold keeps the rows of a query together"
                advice = "Use GroupKFold with groups=qid, or another splitter of groups."
                raise invalid("qid", door, expected, got, advice)
    return estimators, list(indices["test"])


@contextmanager
def _errors_of(parameter: str, door: str) -> Iterator[None]:
    """Name the model in errors about one of several models."""
    try:
        yield
    except InvalidParameterError as error:
        problem = problem_of(error)
        if parameter == "y_score" or problem.parameter != "y_score":
            raise
        raise invalid(parameter, door, problem.expected, problem.got, problem.advice) from error


def _check_methods(methods: Any, door: str) -> list[str]:
    """Return the methods of an estimator that may compute the scores."""
    names = list(methods) if isinstance(methods, (list, tuple)) else [methods]
    is_known = methods in _RESPONSE_METHODS if isinstance(methods, str) else names != [methods]
    if not names or not is_known or not all(isinstance(each, str) for each in names):
        expected = f"{', '.join(map(repr, _RESPONSE_METHODS))} or a list of names of methods"
        raise invalid("response_method", door, expected, describe(methods))
    return names


def _check_estimator(estimator: Any, methods: Sequence[str], door: str) -> None:
    """Raise unless there is a single estimator that has one of some methods."""
    is_one = not isinstance(estimator, type)
    if not is_one or not any(hasattr(estimator, each) for each in methods):
        advice = "To plot several estimators, pass a dict of their scores to `from_predictions`."
        is_several = isinstance(estimator, (Mapping, list, tuple))
        expected = f"a fitted estimator with {' or '.join(methods)}"
        raise invalid("estimator", door, expected, describe(estimator), advice * is_several)


def _check_titles(score_name: Any, n_queries: Any) -> None:
    """Raise unless the labels of the axes are valid."""
    door = "RankingCurveDisplay"
    if not isinstance(score_name, str) or not score_name:
        raise invalid("score_name", door, "a non-empty string", describe(score_name))
    is_int = isinstance(n_queries, Integral) and not isinstance(n_queries, bool)
    if n_queries is not None and not (is_int and n_queries >= 0):
        raise invalid("n_queries", door, "None or an int of at least 0", describe(n_queries))


def _array(name: str, values: Any, shape: tuple[int, ...]) -> Any:
    """Return an array of a shape, in which -1 is any number above 0. None stays None."""
    if values is None:
        return None
    array = check_real_array(values, name, "RankingCurveDisplay").astype(np.float64)
    is_right = array.ndim == len(shape) and array.size > 0
    if not is_right or any(n not in (-1, m) for n, m in zip(shape, array.shape, strict=True)):
        expected = f"of shape {shape}".replace("-1", "any")
        raise invalid(name, "RankingCurveDisplay", expected, f"shape {array.shape}")
    is_infinite = np.isinf(array)
    if is_infinite.any() and name not in ("low", "high"):
        place = ", ".join(map(str, np.argwhere(is_infinite)[0]))
        got = f"infinity at position {place}"
        raise invalid(name, "RankingCurveDisplay", "finite or NaN", got)
    return array


def _rising(k: ArrayLike) -> NDArray[Any]:
    """Return the cutoffs. Raise unless they increase."""
    ranks, door = as_ndarray(k, "k", "RankingCurveDisplay"), "RankingCurveDisplay"
    if ranks.ndim != 1 or not ranks.size:
        raise invalid("k", door, "1-D, with at least one cutoff", f"shape {ranks.shape}")
    is_number = ranks.dtype.kind in "iuf"
    if not is_number or ranks[0] < 1 or (np.diff(ranks) <= 0).any() or (ranks % 1 != 0).any():
        expected = "whole numbers of at least 1 in increasing order"
        raise invalid("k", door, expected, describe(ranks.tolist()))
    return ranks.astype(np.int64)


def _pyplot(function: str) -> Any:
    """Return matplotlib.pyplot, which is imported only for plots."""
    return import_extra("matplotlib.pyplot", "plot", function)


def _for_each(given: Any, parameter: str, kind: type, n_curves: int, door: str) -> list[Any]:
    """Return the argument for each curve, given once for all of them or as a list."""
    if given is None or (isinstance(given, kind) and given != ""):
        return [given] * n_curves
    is_list = isinstance(given, Sequence) and len(given) == n_curves
    if not is_list or not all(isinstance(each, kind) and each != "" for each in given):
        one, several = ("a dict", "dict") if kind is dict else ("a non-empty string", "string")
        several += "" if n_curves == 1 else "s"
        expected = f"{one}, or a list of {n_curves} {several}, one per curve"
        raise invalid(parameter, door, expected, describe(given))
    return list(given)


@contextmanager
def _axes_or_new(ax: Any, make: Callable[[], Any], door: str) -> Iterator[Any]:
    """Yield the axes to draw on. If drawing fails, a new figure is closed."""
    from matplotlib import pyplot
    from matplotlib.axes import Axes

    if ax is not None:
        if not isinstance(ax, Axes):
            raise invalid("ax", door, "a matplotlib Axes or None", describe(ax))
        yield ax
        return
    ax = make()
    try:
        yield ax
    except BaseException:
        pyplot.close(ax.figure)
        raise


def _axes_for(labels: Sequence[str], pyplot: Any) -> Any:
    """Return the axes of a new figure that is large enough for the labels of its legend."""
    width, height = pyplot.rcParams["figure.figsize"]
    lines = [line for label in labels for line in label.split("\n")]
    widest = max([_WIDEST_OF_OURS, *map(len, lines)])
    size = width + _INCHES_PER_CHARACTER * widest, max(height, _INCHES_PER_LINE * (len(lines) + 5))
    return _new_axes(size, pyplot)


def _new_axes(size: tuple[float, float], pyplot: Any) -> Any:
    """Return the axes of a new figure."""
    return pyplot.figure(figsize=size, layout="constrained").add_subplot()


def _draw_legend(ax: Any, *, is_beside: bool = True, inside: str = "best", **more: Any) -> Any:
    """Draw the legend at a place with enough room, and return it if it is inside the axes.

    A constrained layout makes room beside the axes, if they are alone in their figure, or above
    them. The legend goes inside if the layout would make the axes too small.
    """
    style = {"handlelength": 3} | more
    legend = ax.legend(loc="upper left", **style)  # as large there, and "best" takes a search
    width, height = _inches(legend)
    if _is_constrained(ax):
        outside: dict[str, Any] = style | {"borderaxespad": 0}
        of_figure, _ = _inches(ax.figure)
        room = _room(ax)
        if is_beside and len(ax.figure.axes) == 1 and of_figure - width >= _NARROW:
            ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), **outside)
            return None
        if width <= room[0] and height <= room[1] / 2:
            ax.legend(loc="lower left", bbox_to_anchor=(0, 1.01), **outside)
            return None
    legend.remove()
    _lay_out(ax)
    shrink = min(_room(ax) * (0.95, 0.5) / (width, height))
    if shrink < 1:
        size = max(shrink * legend.get_texts()[0].get_fontsize(), _SMALLEST)
        style |= {"fontsize": size, "title_fontsize": size}
    return ax.legend(loc=inside, **style)


def _is_constrained(ax: Any) -> bool:
    """Return whether the figure's layout makes room for artists outside the axes."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return isinstance(ax.figure.get_layout_engine(), ConstrainedLayoutEngine)


def _lay_out(ax: Any) -> None:
    """Give the axes their final size, which the layout sets when the figure is drawn."""
    if ax.figure.get_layout_engine() is not None:
        ax.figure.canvas.figure.draw_without_rendering()  # the top figure, if there are SubFigures


def _room(ax: Any) -> Floats:
    """Return the width and the height of the axes in inches."""
    return np.asarray(ax.bbox.size / ax.figure.dpi)


def _inches(artist: Any) -> Floats:
    """Return the width and the height of an artist in inches."""
    return np.asarray(artist.get_window_extent().size / artist.figure.dpi)


def _fill(text: str, ax: Any) -> str:
    """Return a text in lines that are about as wide as the axes."""
    return textwrap.fill(text, max(int(_room(ax)[0] / _INCHES_PER_CHARACTER), _SHORTEST))


def _write_below(text: str, ax: Any) -> None:
    """Label the x axis, with several lines if the layout makes room for them."""
    ax.set_xlabel(text if ax.figure.get_layout_engine() is None else _fill(text, ax))


def _widen(length: float, artist: Any, axis: int) -> float:
    """Return the length of an axis that leaves room for an artist beside the data."""
    share = (_inches(artist)[axis] + 0.15) / _room(artist.axes)[axis]
    return length / (1 - min(float(share), 0.6))


def _as_pvalue(pvalue: float) -> str:
    """Return a p-value as text."""
    if np.isnan(pvalue):
        return "p undefined"
    return "p < 0.0001" if pvalue < 1e-4 else f"p = {pvalue:.4f}"


def _draw_curve(ax: Any, k: NDArray[Any], values: Floats, own: dict[str, Any]) -> Any:
    """Draw a curve in the next unused style of the axes, overridden by its own style."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    number = sum(line.get_gid() == _CURVE for line in ax.lines)
    step = max(k.size // _N_MARKERS, 1)
    style = {
        "color": _COLORS[number % len(_COLORS)],
        "linestyle": _LINES[number % len(_LINES)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "markevery": (number % step, step),
        "gid": _CURVE,
    }
    [line] = ax.plot(k, values, **style | normalize_kwargs(own, Line2D))
    return line


def _are_far(k: NDArray[Any]) -> bool:
    """Return whether cutoffs need a logarithmic scale."""
    distances = np.diff(k)
    is_long = k.size > _MANY and k[-1] > _LOG_TO * k[0]
    return is_long or (k.size > 2 and distances.max() > _LOG_FROM * distances.min())


def _ticks_for(k: NDArray[Any], *, is_log: bool) -> list[float]:
    """Return the cutoffs with a tick label, including the first."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    if k.size <= _MANY:
        return list(k)
    steps = [1, 2, 5]
    integers = MaxNLocator(6, integer=True, steps=[*steps, 10])
    locator = LogLocator(subs=steps) if is_log else integers
    first, last = float(k[0]), float(k[-1])
    round_ones = [each for each in locator.tick_values(first, last) if first < each <= last]
    # One that is too near to the first cutoff would touch it.
    nearest = 1.5 * first if is_log else first + (round_ones[1] - round_ones[0]) / 2
    return [first, *(each for each in round_ones if each >= nearest)]


def _widened(k: NDArray[Any], *values: Floats) -> list[NDArray[Any]]:
    """Return the values at each cutoff. A single cutoff is widened, so that it is visible."""
    if k.size > 1:
        return [k, *values]
    return [k + np.array([-0.25, 0.25]), *(np.repeat(each, 2) for each in values)]


def _label(name: str | None, value: str) -> str:
    """Return an entry of the legend, wrapped."""
    if name is None:
        return value
    # The part after the name stays on one line.
    return _wrap(f"{name} ({value.replace(' ', _NO_BREAK)})").replace(_NO_BREAK, " ")


def _wrap(text: str) -> str:
    """Return a text, wrapped."""
    return _escape(textwrap.fill(text, _LONGEST))


def _escape(text: str) -> str:
    """Return a text such that matplotlib shows it unchanged.

    Otherwise matplotlib reads text between dollars as a formula, and leaves labels that begin
    with an underscore out of a legend.
    """
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _ink(ax: Any) -> Any:
    """Return the colour of the labels of the axes."""
    return ax.xaxis.label.get_color()


def _filled(color: Any, ax: Any) -> dict[str, Any]:
    """Return the style of a band whose edges stay visible if other bands cross it."""
    from matplotlib.colors import to_rgb, to_rgba

    is_dark = np.dot(to_rgb(ax.get_facecolor()), (0.299, 0.587, 0.114)) < 0.5
    face, edge = to_rgba(color, 0.4 if is_dark else 0.2), to_rgba(color, 1 if is_dark else 0.7)
    return {"facecolor": face, "edgecolor": edge, "linewidth": 0.7}


def _new_label(ax: Any, label: str) -> str:
    """Return a label, or the label for no legend entry if the legend already has it."""
    return "_nolegend_" if label in ax.get_legend_handles_labels()[1] else label
