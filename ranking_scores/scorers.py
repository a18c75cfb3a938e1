"""Scorers: the scores of this package in scikit-learn's model selection."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.metrics import make_scorer
from sklearn.metrics._scorer import _Scorer  # private, and one and the same from 1.6 to 1.9
from sklearn.pipeline import Pipeline

from ranking_scores._evaluate import ARRAY_PARAMETERS, try_plans
from ranking_scores._named import bind_score
from ranking_scores._validation import check_real_array, describe, invalid

__all__ = ["make_ranking_scorer"]


def __dir__() -> list[str]:
    return __all__


_DOOR = "make_ranking_scorer"


def make_ranking_scorer(
    score_func: Callable[..., Any] | str,
    *,
    response_method: str | Sequence[str] = ("decision_function", "predict_proba", "predict"),
    **params: Any,
) -> Any:
    """Make a scorer from a score of this package, for any `scoring` parameter of scikit-learn.

    A thin wrapper of `sklearn.metrics.make_scorer` that knows which direction of each
    score is the better one, and checks the parameters now rather than in every fold.

    Parameters
    ----------
    score_func : callable or str
        A score of this package, a `functools.partial` of one, or its name, with or without
        a cutoff: "ndcg@10", "auc". See `ranking_report` for the names. For a function of
        your own there is `sklearn.metrics.make_scorer`.

    response_method : str or sequence of str
        The methods of the estimator that may give `y_score`; the first one that it has does. By
        default "decision_function", "predict_proba" and "predict".

    **params
        The parameters of `score_func`, such as ``k=10``. What has a value for each row of the
        data, `qid`, `sample_weight`, `item_weight` and `where`, is left to metadata routing.

    Returns
    -------
    scorer : callable
        A scorer with the signature ``scorer(estimator, X, y_true, **metadata)`` that returns a
        float, greater being better.

    Raises
    ------
    ValueError, TypeError
        If `score_func` is no score of this package, if it refuses `params`, if they make more
        than one number (a list of cutoffs, ``average=None``), or if one that has a value for each
        row is among them. One error that is both, as in scikit-learn.

    Warns
    -----
    UserWarning
        Once for each scorer and process, if metadata routing is enabled and the scorer ranks
        three or more classes that are numbers, which may be grades of items: `qid` is not
        requested, and `labels` are not given. ``set_score_request(qid=False)`` says that they are
        no grades.

    See Also
    --------
    sklearn.metrics.make_scorer : Makes scorers from any function.

    Notes
    -----
    A regressor or a pointwise classifier sees one item per row, so its scorer needs to know which
    rows make a query: call ``.set_score_request(qid=True)`` on it, with metadata routing
    enabled, and pass `qid` where you fit the search. Without it the scorer raises; it never
    takes all rows for one query. Only a classifier of three or more classes is then taken for
    one whose classes are ranked, as below. If its classes are numbers they may be grades, so the
    scorer warns, or raises if it requests `qid`. Use a splitter that keeps the rows of a query
    together, such as ``GroupKFold`` with ``groups=qid``. scikit-learn makes an error in a scorer a
    warning and a score of NaN unless told otherwise, so ``error_score="raise"`` is a good idea.

    A classifier's response is read by its ``classes_``. Multilabel: the probability that each
    label is 1, also where the response is a list of arrays, and 0 for a label that was always 0
    in training. Multiclass, `y_true` being class labels: a column for each class; where classes
    are missing from the training fold, pass all of them as `labels`, and with
    ``response_method="predict_proba"`` those not seen have the probability 0. What cannot be told
    is refused, never misaligned.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from ranking_scores import make_ranking_scorer, ndcg_score
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> y = rng.integers(0, 4, size=60)
    >>> qid = np.repeat(np.arange(12), 5)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = make_ranking_scorer(ndcg_score, k=3).set_score_request(qid=True)
    ...     search = GridSearchCV(
    ...         Ridge(),
    ...         {"alpha": [1, 100]},
    ...         scoring=scorer,
    ...         cv=GroupKFold(3),
    ...         error_score="raise",
    ...     ).fit(X, y, qid=qid, groups=qid)
    >>> round(float(search.best_score_), 3)
    0.681
    """
    score = bind_score(score_func, params, _DOOR)
    params = score.options
    for parameter in ARRAY_PARAMETERS:
        if parameter in params:
            raise invalid(
                parameter,
                _DOOR,
                "left to metadata routing, since it has a value for each row of the data",
                describe(params[parameter]),
                f"Call `.set_score_request({parameter}=True)` on the scorer and pass "
                f"`{parameter}` to the function that fits or validates.",
            )
    if params.get("labels", ()) is None:
        del params["labels"]
    plan = score.plan(None, None)
    try_plans([plan])
    for parameter, is_one_number in (
        ("k", plan.call.cutoffs.is_single),
        ("average", plan.call.average is not None),
    ):
        if not is_one_number:
            raise invalid(
                parameter,
                _DOOR,
                "such that the score is one number",
                describe(params.get(parameter)),
                "Make a scorer for each cutoff: several go into one dict `scoring=`."
                if parameter == "k"
                else "",
            )
    sign = 1 if plan.greater_is_better else -1
    checked = make_scorer(score.function, response_method=response_method)
    return _RankingScorer(score.function, sign, params, checked._response_method)


def response_of(
    estimator: Any,
    X: Any,
    y_true: Any,
    options: dict[str, Any],
    response_method: str | Sequence[str],
    door: str,
) -> dict[str, Any]:
    """Return what a scorer would call its score with: `y_true`, `y_score` and the options.

    `labels` is among the options if the columns of the response are classes.
    """
    taken: dict[str, Any] = {}

    def take(y_true: Any, y_score: Any, **options: Any) -> float:
        taken.update(options, y_true=y_true, y_score=y_score)
        return 0.0

    checked = make_scorer(take, response_method=response_method)
    _RankingScorer(take, 1, options, checked._response_method, door)(estimator, X, y_true)
    return taken


_WARNED: set[str] = set()
"""The marks of the scorers that have warned in this process."""


class _RankingScorer(_Scorer):  # type: ignore[misc]
    """scikit-learn's scorer, but for what the columns of a classifier's response stand for."""

    def __init__(
        self,
        score_func: Callable[..., Any],
        sign: int,
        kwargs: dict[str, Any],
        response_method: str | Sequence[str],
        door: str = _DOOR,
    ) -> None:
        super().__init__(score_func, sign, kwargs, response_method)
        self._door = door
        # Copies keep it, so that clones, and those that workers unpickle for each fold, warn once.
        self._mark = uuid4().hex

    def __repr__(self) -> str:
        return str(super().__repr__()).replace("make_scorer(", "make_ranking_scorer(", 1)

    def _score(
        self,
        method_caller: Callable[..., Any],
        estimator: Any,
        X: Any,
        y_true: Any,
        **kwargs: Any,
    ) -> float:
        classes: Any = getattr(estimator, "classes_", None)
        is_multilabel = isinstance(classes, list)
        door, has_qid = self._door, "qid" in kwargs or "qid" in self._kwargs
        labels = self._kwargs.get("labels")
        may_be_grades = False
        if (
            labels is None
            and not has_qid
            and np.ndim(y_true) == 1
            and not is_multilabel
            and np.size(classes) > 1
            and self._method_of(estimator) != "predict"
        ):
            _check_known(y_true, classes, door)
            if np.size(classes) > 2:
                kwargs["labels"] = classes
                may_be_grades = self._may_be_grades(classes)

        def response(estimator: Any, method: str, X: Any, **pos_label: Any) -> Any:
            _check_columns(estimator, method, door)
            if is_multilabel:
                y_score = _multilabel_response(
                    getattr(estimator, method)(X), classes, method, door
                )
            elif labels is None or (len(labels) > 2 and np.array_equal(labels, classes)):
                y_score = method_caller(estimator, method, X, **pos_label)
            else:
                y_score = _columns_of(labels, getattr(estimator, method)(X), classes, method, door)
            if issparse(y_score):  # as of labels, predicted 0 where nothing is stored
                y_score = y_score.toarray()
            if hasattr(y_score, "iloc"):  # whose rows are those of X, whatever their index says
                y_score = check_real_array(y_score, "y_score", door)
            if not has_qid:
                _check_routed(y_true, y_score, door)
            if (is_multilabel or classes is None) and np.ndim(y_true) == 1 < np.ndim(y_score):
                raise invalid(
                    "y_true",
                    door,
                    "2-D, with a column for each column of the estimator's response, which it has "
                    "no classes for",
                    f"shape {np.shape(y_true)} with a response of shape {np.shape(y_score)}",
                )
            return y_score

        value = float(super()._score(response, estimator, X, y_true, **kwargs))
        if may_be_grades:
            self._warn_of_grades(estimator)
        return value

    def _may_be_grades(self, classes: Any) -> bool:
        """Return whether classes that are ranked may be grades; raise if the scorer expects so."""
        if self._door != _DOOR or np.asarray(classes).dtype.kind not in "iuf":
            return False
        request = self.get_metadata_routing().score.requests.get("qid")
        if request is True or (isinstance(request, str) and request.isidentifier()):
            name = "qid" if request is True else request
            raise invalid(
                "qid",
                _DOOR,
                "passed where the scorer requests it",
                "None",
                f"Pass `{name}` to the function that fits or validates, with metadata routing "
                "enabled.",
            )
        return request is None and bool(get_config()["enable_metadata_routing"])

    def _warn_of_grades(self, estimator: Any) -> None:
        """Warn, once in each process, that classes which were scored may be grades of items."""
        if self._mark not in _WARNED:
            name = type(estimator).__name__
            warnings.warn(
                f"make_ranking_scorer ranks the {np.size(estimator.classes_)} numeric classes of "
                f"{name} for each row, as class labels. If they are grades of items, call "
                "`scorer.set_score_request(qid=True)` and pass `qid`, usually with "
                "response_method='predict', or with an estimator that predicts the expected "
                "grade. If the classes really are the items, pass `labels=`.",
                UserWarning,
                stacklevel=2,
            )
            _WARNED.add(self._mark)

    def _method_of(self, estimator: Any) -> str | None:
        """Return the first response method that an estimator has."""
        methods = (
            [self._response_method]
            if isinstance(self._response_method, str)
            else [*self._response_method]
        )
        return next((method for method in methods if hasattr(estimator, method)), None)


def _check_routed(y_true: Any, y_score: Any, door: str) -> None:
    """Raise if each row is an item, and nothing says of which query."""
    if np.ndim(y_true) == 1 == np.ndim(y_score):
        is_routed = door == _DOOR
        raise invalid(
            "qid",
            door,
            f"{'routed to the scorer' if is_routed else 'given'} where y_true is 1-D, an item per "
            "row",
            "None",
            "Use `sklearn.set_config(enable_metadata_routing=True)`, "
            "`scorer.set_score_request(qid=True)` and `search.fit(X, y, qid=qid)`."
            if is_routed
            else "",
        )


def _check_columns(estimator: Any, method: str, door: str) -> None:
    """Raise if the columns of a decision function stand for pairs of classes."""
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if (
        method == "decision_function"
        and getattr(last, "decision_function_shape", None) == "ovo"
        and np.size(last.classes_) > 2
    ):
        raise invalid(
            "response_method",
            door,
            "such that each column stands for a class",
            "decision_function of an estimator with decision_function_shape='ovo'",
            "Use decision_function_shape='ovr'.",
        )


def _check_known(y_true: Any, classes: NDArray[Any], door: str) -> None:
    """Raise if `y_true` has classes that an estimator was not fitted on."""
    unknown = np.setdiff1d(y_true, classes)
    if unknown.size:
        raise invalid(
            "labels",
            door,
            "given where y_true has classes that the estimator was not fitted on",
            f"None, and y_true has {unknown.tolist()}",
            "Pass all classes, sorted, or use a splitter that puts each into each fold.",
        )


def _columns_of(
    labels: Any, response: Any, classes: NDArray[Any], method: str, door: str
) -> NDArray[np.float64]:
    """Return a column for each of `labels`: 0 for a class that the estimator has not seen."""
    if method == "predict":
        expected = "'decision_function' or 'predict_proba' where `labels` is given"
        raise invalid("response_method", door, expected, "'predict'")
    if method == "decision_function" and np.size(labels) == 2 and np.array_equal(labels, classes):
        return np.column_stack([-response, response])  # above 0 it decides for the second class
    if method != "predict_proba" or np.setdiff1d(classes, labels).size:
        known = classes.tolist() if isinstance(classes, np.ndarray) else classes
        raise invalid(
            "labels",
            door,
            "the classes that the estimator was fitted on, unless it answers with probabilities, "
            "in which some may be missing",
            f"{describe(labels)} for {method} and the classes {known}",
            "Use response_method='predict_proba', where a class that was not seen has the "
            "probability 0, or a splitter that puts each class into each fold.",
        )
    columns = np.zeros((np.size(response, 0), len(labels)))
    columns[:, np.searchsorted(labels, classes)] = response
    return columns


def _multilabel_response(response: Any, classes: list[Any], method: str, door: str) -> Any:
    """Return a column for each output: the probability that it is 1, not 0."""
    if not isinstance(response, list):
        return response
    columns = []
    for output, (probability, classes_of_output) in enumerate(zip(response, classes, strict=True)):
        of_output = np.asarray(classes_of_output)
        if (
            method != "predict_proba"
            or of_output.dtype.kind not in "biuf"
            or np.setdiff1d(of_output, [0, 1]).size
        ):
            raise invalid(
                "response_method",
                door,
                "'predict' unless each output of the estimator is 0 or 1",
                f"{method!r} with the classes {describe(classes_of_output)} of output {output}",
                "An estimator that was fitted on sparse y may need dense y.",
            )
        # An output that was always 0 in the training data has no column for 1.
        columns.append(probability[:, of_output == 1].sum(axis=1))
    return np.column_stack(columns)
