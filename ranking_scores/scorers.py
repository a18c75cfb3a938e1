"""Scorers: the scores of this package in scikit-learn's model selection."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics import make_scorer
from sklearn.metrics._scorer import _Scorer  # private, and one and the same from 1.6 to 1.9
from sklearn.pipeline import Pipeline

from ranking_scores._evaluate import ARRAY_PARAMETERS, try_plans
from ranking_scores._ids_in_x import QidFrom, check_qid_from, take_ids
from ranking_scores._named import bind_score
from ranking_scores._query_ids import check_ids_of_rows, cut_into_runs, n_cut_apart
from ranking_scores._validation import check_real_array, describe, invalid

__all__ = ["make_ranking_scorer"]


def __dir__() -> list[str]:
    return __all__


_DOOR = "make_ranking_scorer"


def make_ranking_scorer(
    score_func: Callable[..., Any] | str,
    *,
    response_method: str | Sequence[str] = ("decision_function", "predict_proba", "predict"),
    qid_from: QidFrom | None = None,
    **params: Any,
) -> Any:
    """Make a scorer from a score of this package, for any `scoring` parameter of scikit-learn.

    A thin wrapper of `sklearn.metrics.make_scorer` that knows which direction of each
    score is the better one, and checks the parameters now rather than in every fold.

    Parameters
    ----------
    score_func : callable or str
        A score of this package, its name, with or without a cutoff, such as "ndcg@10" or "auc", or
        a `functools.partial` of a score. The names are listed in `ranking_report`. For a function
        of your own, use `sklearn.metrics.make_scorer`.

    response_method : str or sequence of str
        The methods of the estimator that may give `y_score`; the first one that it has does. By
        default "decision_function", "predict_proba" and "predict".

    qid_from : str, int or callable, default=None
        Where in X the ids of the queries are: the name of a column of a frame, the index of a
        column, or a callable that takes X and returns the id of each row. An int is always an
        index, even if the names of the columns are ints. The scorer then needs no metadata
        routing. The estimator sees X as it is, with the column, unless it is a `QueryRanker` with
        the same `qid_from`. None: the ids are routed, in `qid`.

    **params
        The parameters of `score_func`, such as ``k=10``. Arrays with a value for each row of the
        data come by metadata routing instead: `qid`, `sample_weight`, `item_weight` and `where`.

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
        Once for each scorer and process, if the scorer ranks three or more classes that are
        numbers, which may be grades of items: `qid` is not requested, and `labels` are not given.
        `labels`, and ``set_score_request(qid=False)``, say that they are no grades.

        Once for each scorer and process, if a `QueryRanker` is scored on a part of queries that
        it was fitted on another part of, as with ``KFold``. Other estimators do not say which
        queries they were fitted on.

    See Also
    --------
    ranking_scores.rankers.QueryRanker : Fits rankers on rows with the id of their query.
    sklearn.metrics.make_scorer : Makes scorers from any function.

    Notes
    -----
    A regressor or a pointwise classifier sees one item per row, so its scorer needs to know which
    rows make a query: call ``.set_score_request(qid=True)`` on it, with metadata routing
    enabled, and pass `qid` where you fit the search. Or have the ids in X, and say where they are
    in `qid_from`. Without either the scorer raises; it never takes all rows for one query. Only a
    classifier of three or more classes is then taken for one whose classes are ranked, as below.
    If its classes are numbers they may be grades, so the scorer warns, or raises if it requests
    `qid`. Use a splitter that keeps the rows of a query together, such as ``GroupKFold`` with
    ``groups=qid``. scikit-learn makes an error in a scorer a warning and a score of NaN unless
    told otherwise, so ``error_score="raise"`` is a good idea.

    A classifier's response is read by its ``classes_``. Multilabel: the probability that each
    label is 1, also where the response is a list of arrays, and 0 for a label that was always 0
    in training. Multiclass, `y_true` being class labels: a column for each class; where classes
    are missing from the training fold, pass all of them as `labels`, and with
    ``response_method="predict_proba"`` those not seen have the probability 0. Anything ambiguous
    raises an error; it is never silently misaligned.

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

    Without metadata routing, the ids being the last column of X:

    >>> from sklearn.model_selection import cross_val_score
    >>> from ranking_scores.rankers import QueryRanker
    >>> cross_val_score(
    ...     QueryRanker(Ridge(), qid_from=-1),
    ...     np.column_stack([X, qid]),
    ...     y,
    ...     groups=qid,
    ...     scoring=make_ranking_scorer(ndcg_score, k=3, qid_from=-1),
    ...     cv=GroupKFold(3),
    ...     error_score="raise",
    ... ).mean().round(3)
    np.float64(0.681)
    """
    qid_from = check_qid_from(qid_from, _DOOR)
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
                f"`{parameter}` to the function that fits or validates."
                + (" Ids in a column of X are taken by `qid_from`." * (parameter == "qid")),
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
    return _RankingScorer(score.function, sign, params, checked._response_method, qid_from)


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
    _RankingScorer(take, 1, options, checked._response_method, None, door)(estimator, X, y_true)
    return taken


_WARNED: set[tuple[str, str]] = set()
"""The marks of the scorers that have warned in this process, each with what of."""


class _RankingScorer(_Scorer):  # type: ignore[misc]
    """scikit-learn's scorer, but for what the columns of a classifier's response stand for."""

    def __init__(
        self,
        score_func: Callable[..., Any],
        sign: int,
        kwargs: dict[str, Any],
        response_method: str | Sequence[str],
        qid_from: QidFrom | None,
        door: str = _DOOR,
    ) -> None:
        super().__init__(score_func, sign, kwargs, response_method)
        self._qid_from = qid_from
        self._door = door
        # Copies keep it, so that clones, and those that workers unpickle for each fold, warn once.
        self._mark = uuid4().hex

    def __repr__(self) -> str:
        text = str(super().__repr__()).replace("make_scorer(", "make_ranking_scorer(", 1)
        if self._qid_from is None:
            return text
        name = getattr(self._qid_from, "__qualname__", repr(self._qid_from))
        return f"{text[:-1]}, qid_from={name})"

    def _score(
        self,
        method_caller: Callable[..., Any],
        estimator: Any,
        X: Any,
        y_true: Any,
        **kwargs: Any,
    ) -> float:
        kwargs = _with_ids(kwargs, X, self._qid_from)
        ids = _check_cut(kwargs.get("qid"), y_true)
        classes: Any = getattr(estimator, "classes_", None)
        is_multilabel = isinstance(classes, list)
        door, has_qid = self._door, "qid" in kwargs or "qid" in self._kwargs
        labels = self._kwargs.get("labels")
        may_be_grades = False
        if not has_qid and self._ranks_classes(estimator, y_true):
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
        if ids is not None:
            self._warn_of_cut_queries(estimator, ids)
        return value

    def _ranks_classes(self, estimator: Any, y_true: Any) -> bool:
        """Return whether the classes of a classifier are the items, unless there is a `qid`."""
        classes: Any = getattr(estimator, "classes_", None)
        return (
            self._kwargs.get("labels") is None
            and np.ndim(y_true) == 1
            and not isinstance(classes, list)
            and np.size(classes) > 1
            and self._method_of(estimator) != "predict"
        )

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
        return request is None

    def _warn_of_grades(self, estimator: Any) -> None:
        """Warn, once for each scorer and process, that classes may be grades of items."""
        name = type(estimator).__name__
        self._warn_once(
            "grades",
            f"make_ranking_scorer ranks the {np.size(estimator.classes_)} numeric classes of "
            f"{name} for each row, as class labels. If they are grades of items, call "
            "`scorer.set_score_request(qid=True)` and pass `qid`, or take it out of X by "
            "`qid_from=`, usually with response_method='predict', or with an estimator that "
            "predicts the expected grade. If the classes really are the items, pass `labels=`.",
        )

    def _warn_of_cut_queries(self, estimator: Any, ids: NDArray[Any]) -> None:
        """Warn, once for each scorer and process, that queries were cut, if that is known."""
        fitted = _fitted_queries(estimator)
        if fitted is None:
            return
        runs = cut_into_runs(ids, _DOOR)
        n_cut = n_cut_apart(fitted, (runs.ids, runs.sizes))
        if n_cut:
            self._warn_once(
                "cut queries",
                f"make_ranking_scorer scores at least {n_cut} of {runs.ids.size} queries in part: "
                "the estimator was fitted on other rows of them. To rank a part of a query is a "
                "different, often easier, task. Keep the rows of a query in one fold, by "
                "`GroupKFold` with `groups=qid`.",
            )

    def _warn_once(self, what: str, message: str) -> None:
        """Warn of something unless this scorer, or a copy of it, has done so in this process."""
        if (self._mark, what) not in _WARNED:
            warnings.warn(message, UserWarning, stacklevel=3)
            _WARNED.add((self._mark, what))

    def _method_of(self, estimator: Any) -> str | None:
        """Return the first response method that an estimator has."""
        methods = (
            [self._response_method]
            if isinstance(self._response_method, str)
            else [*self._response_method]
        )
        return next((method for method in methods if hasattr(estimator, method)), None)


def _with_ids(metadata: dict[str, Any], X: Any, qid_from: QidFrom | None) -> dict[str, Any]:
    """Return the metadata with the ids of the queries that are in X, without a `qid` of None."""
    known = {name: each for name, each in metadata.items() if name != "qid" or each is not None}
    if qid_from is None:
        return known
    if "qid" in known:
        expected = "None where the scorer takes the ids out of X, by `qid_from`"
        raise invalid("qid", _DOOR, expected, describe(known["qid"]))
    return known | {"qid": take_ids(X, qid_from, _DOOR)}


def _check_cut(qid: Any, y_true: Any) -> NDArray[Any] | None:
    """Return the ids of the rows of a fold, one for each; None: there are none."""
    if qid is None or np.ndim(y_true) != 1:  # the score refuses ids where rows are queries
        return None
    return check_ids_of_rows(qid, np.size(y_true), _DOOR)


def _fitted_queries(estimator: Any) -> tuple[NDArray[Any], NDArray[np.intp]] | None:
    """Return the ids and the sizes of the queries that an estimator says it was fitted on."""
    last = _last_of(estimator)
    ids = getattr(last, "query_ids_", None)
    return None if ids is None else (ids, last.query_sizes_)


def _last_of(estimator: Any) -> Any:
    """Return the last step of a pipeline, or of the best one of a search."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


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
            "`scorer.set_score_request(qid=True)` and `search.fit(X, y, qid=qid)`, or "
            "`make_ranking_scorer(..., qid_from=...)` if X has the ids."
            if is_routed
            else "",
        )


def _check_columns(estimator: Any, method: str, door: str) -> None:
    """Raise if the columns of a decision function stand for pairs of classes."""
    last = _last_of(estimator)
    if hasattr(last, "qid_from"):  # a QueryRanker, which hands on the response of another
        last = _last_of(last.estimator_)
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
