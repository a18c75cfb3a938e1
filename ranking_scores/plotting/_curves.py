"""Computes the curves, bands and folds of a `RankingCurveDisplay`, without matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing  # private by name only: 1.6 to 1.9 export it
from sklearn.utils.validation import _num_samples

from ranking_scores._base._errors import Place, errors_name, invalid, show_id
from ranking_scores._base._query_values import ends_of, may_be_share
from ranking_scores._base._validation import (
    Cutoffs,
    as_ndarray,
    check_bool,
    check_cutoffs,
    check_identifiers,
    check_real_array,
    describe,
    unique_identifiers,
)
from ranking_scores._metrics._bounds import (
    check_grades,
    for_unknown,
    highest,
    lowest,
    of_labels,
    warn_of_labels,
    with_max_grade,
)
from ranking_scores._metrics._evaluate import ARRAY_PARAMETERS, as_it_is, need_of, run_on
from ranking_scores._metrics._named import (
    SCORES,
    TITLES,
    NamedScore,
    bind_score,
    find_score,
    parameters_of,
    range_of,
)
from ranking_scores._metrics._orders import best_order, worst_order
from ranking_scores._queries._layouts import check_queries
from ranking_scores._tables._ranking_data import CallArrays, RankingData, arrays_of
from ranking_scores.report import by_chance, check_no_order
from ranking_scores.scorers import response_of
from ranking_scores.significance._intervals import limits_of_curve
from ranking_scores.significance._tests import check_level
from ranking_scores.ties import check_falls, differs

Floats = NDArray[np.float64]

_DISPLAY = "RankingCurveDisplay"

_WITH_CUTOFFS = [name for name, score in SCORES.items() if "k" in parameters_of(score)]
"""The names of the scores of which a curve can be drawn."""

RESPONSE_METHODS = ("decision_function", "predict_proba", "predict")


class CurveSettings(NamedTuple):
    """The settings of the curve of each model."""

    function: str
    score: NamedScore
    """The score with its options, including the cutoffs."""
    level: float | None
    """The level of the confidence intervals, or None for no intervals."""
    has_ties: bool
    has_chance: bool | None
    """Whether to draw the chance level. None means unless it is unknown which items are ranked."""
    highest_grade: int | None = None
    """The highest label that unjudged items could have. None: their band is not drawn."""

    @property
    def cutoffs(self) -> NDArray[np.int64]:
        """The cutoffs, in increasing order."""
        k: Cutoffs = self.score.options["k"]
        return k.ranks


def settings_of(
    score: Any, k: Any, params: dict[str, Any], function: str, bands: tuple[Any, Any, Any, Any]
) -> CurveSettings:
    """Return the settings of the curves, after checking them.

    `bands` are the level of the intervals, and whether ties, chance and unjudged items are drawn.
    """
    level, ties, chance, unjudged = bands
    is_unjudged, grade = check_bool(unjudged, "unjudged", function), None
    found = find_score(score, function, names=_WITH_CUTOFFS, form="")
    if is_unjudged:
        params, grade = with_max_grade([found], params, params.get("max_grade", 1), function)
    if "k" not in parameters_of(found.function):
        raise invalid("score", function, "a score with cutoffs, which takes `k`", describe(score))
    if "k" in found.options:
        expected = "a score without a cutoff of its own, since `k` has the cutoffs"
        raise invalid("score", function, expected, describe(score))
    ranks = np.unique(check_cutoffs(k, function, allow_none=False).ranks)
    cutoffs = Cutoffs(ranks, is_single=False)
    bound = bind_score(partial(found.function, **found.options), params | {"k": cutoffs}, function)
    if "average" in bound.options:
        expected = "left out, since the curve shows means"
        raise invalid("average", function, expected, describe(bound.options["average"]))
    if grade is not None:
        check_grades([bound], grade, function, "score")
    level = None if level is None else check_level(level, function)
    for name, value in (("ties", ties), ("chance", chance)):
        if value is not None and check_bool(value, name, function):
            check_no_order([bound], name, function)
    has_one_order = bound.options.get("ignore_ties", False) is not False
    if ties is None:
        ties = not (has_one_order or callable(bound.options.get("discount")))
    if chance is None and has_one_order:
        chance = False
    return CurveSettings(function, bound, level, ties, chance, grade)


# The curves of models.


def curves_of_models(
    settings: CurveSettings, y_true: Any, y_score: Any, name: Any
) -> dict[str, Any]:
    """Return the curves of one model or of several, as the parameters of the display."""
    models = _models_of(y_true, y_score, name, settings.function)
    curves = []
    for parameter, arrays in models.values():
        with nullcontext() if "" in models else errors_name(parameter, settings.function):
            curves.append(_curve_of(settings, arrays))
    labels = next(iter(models.values()))[1].y_true
    level = _chance_of(settings, labels, [arrays.y_score for _, arrays in models.values()])
    if "" in models:
        return _with_titles(settings, curves[0], name, level)
    fields = {field for curve in curves for field in curve} - {"n_queries"}
    nothing = np.full(curves[0]["score"].shape, np.nan)  # for what a model lacks
    stacked: dict[str, Any] = {
        field: [curve.get(field, nothing) for curve in curves] for field in fields
    }
    counts = {curve["n_queries"] for curve in curves}
    stacked["n_queries"] = counts.pop() if len(counts) == 1 else None
    return _with_titles(settings, stacked, list(models), level)


def _models_of(
    y_true: Any, y_score: Any, name: Any, function: str
) -> dict[str, tuple[str, CallArrays]]:
    """Return the parameter and the arrays of each model by its name.

    A single model has the name "", which the names of several cannot have.
    """
    has_data = isinstance(y_true, Mapping)
    parameter, models = ("y_true", y_true) if has_data else ("y_score", y_score)
    if not isinstance(models, Mapping):
        return {"": (parameter, arrays_of(y_true, y_score, None, function))}
    if has_data and y_score is not None:
        expected = "left out, since y_true is a dict of models"
        raise invalid("y_score", function, expected, describe(y_score))
    if name is not None:
        expected = f"None if {parameter} is a dict, whose keys are the names"
        raise invalid("name", function, expected, describe(name))
    if not models:
        raise invalid(parameter, function, "a dict with at least one model", describe(models))
    found = {}
    for key, each in models.items():
        if not isinstance(key, str) or not key:
            expected = "a dict whose keys are non-empty strings, if it is a dict"
            raise invalid(parameter, function, expected, f"the key {describe(key)}")
        of_model = f"{parameter}[{show_id(key)}]"
        if has_data and not isinstance(each, RankingData):
            expected = "what `from_tables` or `from_table` returned, since y_true is a dict"
            raise invalid(of_model, function, expected, describe(each))
        labels, scores = (each, None) if has_data else (y_true, each)
        found[key] = of_model, arrays_of(labels, scores, None, function)
    return found


def _curve_of(settings: CurveSettings, arrays: CallArrays) -> dict[str, Any]:
    """Return the values of a model's curve, by the parameters of the display."""
    y_true, y_score, query_ids, order = arrays
    plan = settings.score.plan(y_true, y_score, query_ids=query_ids, order=order)
    views = (as_it_is, worst_order, best_order) if settings.has_ties else (as_it_is,)
    grade = settings.highest_grade
    plan = plan if grade is None else for_unknown(plan)
    tasks = [(plan, view) for view in views]
    if grade is not None:
        made = lowest(plan, grade), highest(plan, grade), of_labels(plan)
        tasks += [(each, as_it_is) for each in made]
    queries = check_queries(plan.data, need_of(tasks))
    if settings.has_ties or grade is not None:
        discount, function = settings.score.options.get("discount"), settings.function
        check_falls(discount, settings.cutoffs, queries.longest, function)
    evaluation, *others = run_on(queries, tasks)
    orders, of_unjudged = others[: len(views) - 1], others[len(views) - 1 :]
    mean = np.asarray(evaluation.result())
    errors, counts = np.array(evaluation.errors()).T
    curve = {"score": mean, "n_queries": int(counts.max())}
    if settings.level is not None:
        values = evaluation.values
        score_range, level = range_of(settings.score.name), settings.level
        limits = limits_of_curve(evaluation, (mean, errors), level, may_be_share(score_range))
        curve["low"], curve["high"] = [
            np.clip(limit, *ends_of(values, score_range)) for limit in limits
        ]
    if orders and differs(*orders).any():
        worst, best = ([sums.mean() for sums in order.sums()] for order in orders)
        curve |= {"worst": worst, "best": best}
    if grade is not None:
        warn_of_labels(of_unjudged[-1].values[:, 1], grade, settings.function, [plan])
        ends = ([sums.mean() for sums in each.sums()] for each in of_unjudged[:-1])
        curve |= dict(zip(("lowest", "highest"), ends, strict=True))
    return curve


def _chance_of(settings: CurveSettings, y_true: Any, scores: Sequence[Any]) -> Floats | None:
    """Return the chance level, if it is to be drawn."""
    is_known = not any(map(issparse, scores))
    if settings.has_chance is False or (settings.has_chance is None and not is_known):
        return None
    of_sparse = [score for score in scores if issparse(score)]
    plan = settings.score.plan(y_true, (of_sparse or scores)[0])
    plan = plan if settings.highest_grade is None else for_unknown(plan)
    [evaluation] = by_chance([plan], plan.data, settings.function)
    return np.array([sums.mean() for sums in evaluation.sums()])


def _with_titles(
    settings: CurveSettings, curve: dict[str, Any], name: Any, chance: Floats | None
) -> dict[str, Any]:
    """Return the parameters of the display: a curve, its cutoffs and its names."""
    return curve | {
        "k": settings.cutoffs,
        "chance": chance,
        "name": name,
        "score_name": TITLES[settings.score.name],
        "confidence_level": settings.level,
    }


# The curves of estimators.


def curve_of_estimator(
    settings: CurveSettings, estimator: Any, X: Any, y: Any, response_method: Any, name: Any
) -> dict[str, Any]:
    """Return the curve of a fitted estimator, as the parameters of the display."""
    methods = _check_methods(response_method, settings.function)
    _check_estimator(estimator, methods, settings.function)
    curve, level = _curve_of_response(settings, estimator, X, y, response_method)
    name = type(estimator).__name__ if name is None else name
    return _with_titles(settings, curve, name, level)


def curves_of_folds(
    settings: CurveSettings, cv_results: Any, X: Any, y: Any, response_method: Any, name: Any
) -> dict[str, Any]:
    """Return the curve of each fold and their mean, as the parameters of the display."""
    _check_methods(response_method, settings.function)
    estimators, parts = _folds_of(cv_results, X, y, settings)
    scores: list[Floats] = []
    levels: list[Any] = []
    for estimator, test in zip(estimators, parts, strict=True):
        X_test, y_test = (_safe_indexing(rows, test) for rows in (X, y))
        options = settings.score.options
        arrays = [key for key in ARRAY_PARAMETERS if options.get(key) is not None]
        fold = _with_options(settings, {key: _safe_indexing(options[key], test) for key in arrays})
        curve, level = _curve_of_response(fold, estimator, X_test, y_test, response_method)
        scores.append(curve["score"])
        levels.append(level)
    if name is None:
        name = f"{type(estimators[0]).__name__}, mean of {len(parts)} folds"
    chance = None if levels[0] is None else np.mean(levels, axis=0)
    mean = {"score": np.mean(scores, axis=0), "fold_scores": scores}
    return _with_titles(settings, mean, name, chance)


def _curve_of_response(
    settings: CurveSettings, estimator: Any, X: Any, y: Any, response_method: Any
) -> tuple[dict[str, Any], Floats | None]:
    """Return the curve of an estimator, and the chance level."""
    given = {name: each for name, each in settings.score.options.items() if each is not None}
    del given["k"]
    taken = response_of(estimator, X, y, given, response_method, settings.function)
    y_true, y_score = taken.pop("y_true"), taken.pop("y_score")
    settings = _with_options(settings, taken)
    curve = _curve_of(settings, CallArrays(y_true, y_score, None, None))
    return curve, _chance_of(settings, y_true, [y_score])


def _with_options(settings: CurveSettings, options: dict[str, Any]) -> CurveSettings:
    """Return the settings with other options of the score."""
    score = settings.score
    return settings._replace(score=score._replace(options=score.options | options))


def _folds_of(
    cv_results: Any, X: Any, y: Any, settings: CurveSettings
) -> tuple[list[Any], list[Any]]:
    """Return the estimator and the test rows of each fold."""
    function, expected = settings.function, "the result of cross_validate"
    advice = "Call it with return_estimator=True and return_indices=True."
    if not isinstance(cv_results, Mapping):
        raise invalid("cv_results", function, expected, describe(cv_results), advice)
    for key in ("estimator", "indices"):
        if key not in cv_results:
            raise invalid("cv_results", function, expected, f"no {show_id(key)} in it", advice)
    estimators, indices = list(cv_results["estimator"]), cv_results["indices"]
    n_rows = 1 + max(int(rows.max()) for part in ("train", "test") for rows in indices[part])
    own = {name: settings.score.options.get(name) for name in ARRAY_PARAMETERS[1:]}
    for name, values in ({"X": X, "y": y} | own).items():
        is_sized = hasattr(values, "shape") or hasattr(values, "__len__")
        n_given = _num_samples(values) if is_sized else 0
        if values is not None and n_given < n_rows:
            expected = f"of at least {n_rows} rows, as many as the indices of cv_results need"
            got = f"{n_given} rows" if is_sized else describe(values)
            raise invalid(name, function, expected, got)
    qid = settings.score.options.get("qid")
    if qid is not None:
        ids = check_identifiers(qid, "qid", function)
        if ids.size != np.size(y):
            expected = f"of shape ({np.size(y)},), the query id of each row of X"
            raise invalid("qid", function, expected, f"shape {ids.shape}")
        names, query = unique_identifiers(ids, "qid", function)
        for train, test in zip(indices["train"], indices["test"], strict=True):
            both = np.intersect1d(query[train], query[test])
            if both.size:
                got = f"rows of the query {show_id(names[both[0]].item())} in both parts of a fold"
                expected = "such that each fold keeps the rows of a query together"
                advice = "Use GroupKFold with groups=qid, or another splitter of groups."
                raise invalid("qid", function, expected, got, advice)
    return estimators, list(indices["test"])


def _check_methods(methods: Any, function: str) -> list[str]:
    """Return the methods of an estimator that may compute the scores."""
    names = list(methods) if isinstance(methods, (list, tuple)) else [methods]
    is_known = methods in RESPONSE_METHODS if isinstance(methods, str) else names != [methods]
    if not names or not is_known or not all(isinstance(name, str) for name in names):
        expected = f"{', '.join(map(repr, RESPONSE_METHODS))} or a list of names of methods"
        raise invalid("response_method", function, expected, describe(methods))
    return names


def _check_estimator(estimator: Any, methods: Sequence[str], function: str) -> None:
    """Raise unless there is a single estimator that has one of some methods."""
    is_one = not isinstance(estimator, type)
    if not is_one or not any(hasattr(estimator, method) for method in methods):
        advice = "To plot several estimators, pass a dict of their scores to `from_predictions`."
        is_several = isinstance(estimator, (Mapping, list, tuple))
        expected = f"a fitted estimator with {' or '.join(methods)}"
        raise invalid("estimator", function, expected, describe(estimator), advice * is_several)


# The parameters of the display itself.


def check_titles(score_name: Any, n_queries: Any) -> None:
    """Raise unless the labels of the axes are valid."""
    if not isinstance(score_name, str) or not score_name:
        raise invalid("score_name", _DISPLAY, "a non-empty string", describe(score_name))
    is_int = isinstance(n_queries, Integral) and not isinstance(n_queries, bool)
    if n_queries is not None and not (is_int and n_queries >= 0):
        raise invalid("n_queries", _DISPLAY, "None or an int of at least 0", describe(n_queries))


def check_array(name: str, values: Any, shape: tuple[int, ...]) -> Any:
    """Return an array of a shape, in which -1 is any number above 0. None stays None."""
    if values is None:
        return None
    array = check_real_array(values, name, _DISPLAY).astype(np.float64)
    is_right = array.ndim == len(shape) and array.size > 0
    if not is_right or any(n not in (-1, m) for n, m in zip(shape, array.shape, strict=True)):
        expected = f"of shape {shape}".replace("-1", "any")
        raise invalid(name, _DISPLAY, expected, f"shape {array.shape}")
    is_infinite = np.isinf(array)
    if is_infinite.any() and name not in ("low", "high"):
        place = Place(position=tuple(np.argwhere(is_infinite)[0].tolist()))
        raise invalid(name, _DISPLAY, "finite or NaN", "infinity", place=place)
    return array


def check_rising(k: ArrayLike) -> NDArray[Any]:
    """Return the cutoffs. Raise unless they increase."""
    ranks = as_ndarray(k, "k", _DISPLAY)
    if ranks.ndim != 1 or not ranks.size:
        raise invalid("k", _DISPLAY, "1-D, with at least one cutoff", f"shape {ranks.shape}")
    is_number = ranks.dtype.kind in "iuf"
    if not is_number or ranks[0] < 1 or (np.diff(ranks) <= 0).any() or (ranks % 1 != 0).any():
        expected = "whole numbers of at least 1 in increasing order"
        raise invalid("k", _DISPLAY, expected, describe(ranks.tolist()))
    return ranks.astype(np.int64)
