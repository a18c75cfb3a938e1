"""Scorers: the scores of this package in scikit-learn's model selection."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import make_scorer
from sklearn.metrics._scorer import _Scorer  # private, but unchanged from 1.6 to 1.9
from sklearn.pipeline import Pipeline

from ranking_scores._base._errors import invalid
from ranking_scores._base._index import Indexes, column_names
from ranking_scores._base._validation import (
    advises_on_keywords,
    check_real_array,
    describe,
    is_sparse,
)
from ranking_scores._metrics._evaluate import ARRAY_PARAMETERS, try_plans
from ranking_scores._metrics._named import bind_score
from ranking_scores._queries._query_ids import (
    QidFrom,
    check_ids_of_rows,
    check_qid_from,
    cut_into_runs,
    n_cut_apart,
    take_ids,
)

__all__ = ["make_ranking_scorer"]


def __dir__() -> list[str]:
    return __all__


_FUNCTION = "make_ranking_scorer"
_ONE_PER_CUTOFF = "Make one scorer per cutoff, and pass them as a dict `scoring=`."


@advises_on_keywords
def make_ranking_scorer(
    score: Callable[..., Any] | str,
    *,
    response_method: str | Sequence[str] = ("decision_function", "predict_proba", "predict"),
    qid_from: str | int | Callable[[Any], Any] | None = None,
    **params: Any,
) -> Any:
    """Make a scorer from a score of this package, for any `scoring` parameter of scikit-learn.

    This is a thin wrapper around `sklearn.metrics.make_scorer`. It knows whether higher or lower
    is better for each score, and it checks the parameters once, rather than in every fold.

    Parameters
    ----------
    score : callable or str
        A score of this package, its name, with or without a cutoff, such as "ndcg@10" or "auc", or
        a `functools.partial` of a score. The names are listed in `ranking_report`. For a function
        of your own, use `sklearn.metrics.make_scorer`.

    response_method : str or sequence of str
        The method of the estimator that computes `y_score`. In a sequence, the first method that
        the estimator has is used. By default "decision_function", "predict_proba", "predict".

    qid_from : str, int or callable, default=None
        The place of the query ids in X. With it, the scorer needs no metadata routing.

        - A str is the name of a column of a frame.
        - An int is the index of a column, even if the names of the columns are ints.
        - A callable takes X and returns the query id of each row.
        - None means that the ids are routed as `qid`.

        The estimator sees X including this column, unless it is a `QueryRanker` with the same
        `qid_from`.

    **params
        The parameters of `score`, such as ``k=10``. Arrays with a value for each row of the
        data come by metadata routing instead: `qid`, `sample_weight`, `item_weight` and `where`.

    Returns
    -------
    scorer : callable
        A scorer with the signature ``scorer(estimator, X, y_true, **metadata)``. It returns a
        float, and a greater float is better.

    Raises
    ------
    ValueError, TypeError
        If `score` is not a score of this package, if it refuses `params`, if the score is
        more than one number (a list of cutoffs, ``average=None``), or if `params` has a parameter
        with one value per row. The error is of both types, as in scikit-learn.

    Warns
    -----
    UserWarning
        Once per scorer and process, if the scorer ranks three or more numeric classes, `qid` is
        not requested, and `labels` is not given. Such classes may be grades of items. Pass
        `labels`, or call ``set_score_request(qid=False)``, if they are classes.

        Once per scorer and process, if a `QueryRanker` was fitted on some rows of a query and is
        scored on other rows of it, as happens with ``KFold``. Other estimators do not tell which
        queries they were fitted on.

    See Also
    --------
    ranking_scores.rankers.QueryRanker : Fits rankers on rows with the id of their query.
    sklearn.metrics.make_scorer : Makes scorers from any function.

    Notes
    -----
    A regressor or a pointwise classifier sees one item per row, so its scorer must know which
    rows form a query. There are two ways:

    - Enable metadata routing, call ``.set_score_request(qid=True)`` on the scorer, and pass `qid`
      to the search's ``fit``.
    - Keep the ids in X, and give their place in `qid_from`.

    Without either, the scorer raises an error. It never takes all rows for one query. The one
    exception is a classifier of three or more classes: the scorer then ranks its classes, as
    described below. If these classes are numbers, they may be grades, so the scorer warns, or
    raises an error if it requests `qid`.

    Use a splitter that keeps the rows of a query together, such as ``GroupKFold`` with
    ``groups=qid``. By default, scikit-learn turns an error in a scorer into a warning and a score
    of NaN. Pass ``error_score="raise"`` to see the error.

    The scorer reads a classifier's response by its ``classes_``:

    - Multilabel: `y_score` is the probability that each label is 1, even if the response is a
      list of arrays. It is 0 for a label that was always 0 in training.
    - Multiclass, if `y_true` holds class labels: `y_score` has one column per class. If the
      training fold lacks a class, pass all classes as `labels`. With
      ``response_method="predict_proba"``, a class that was not seen has the probability 0.

    If the response is ambiguous, the scorer raises an error. It never misaligns columns silently.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from ranking_scores import make_ranking_scorer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> y = rng.integers(0, 4, size=60)
    >>> qid = np.repeat(np.arange(12), 5)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = make_ranking_scorer("ndcg@3").set_score_request(qid=True)
    ...     search = GridSearchCV(
    ...         Ridge(),
    ...         {"alpha": [1, 100]},
    ...         scoring=scorer,
    ...         cv=GroupKFold(3),
    ...         error_score="raise",
    ...     ).fit(X, y, qid=qid, groups=qid)
    >>> round(float(search.best_score_), 3)
    0.681

    The same without metadata routing, with the ids in the last column of X:

    >>> from sklearn.model_selection import cross_val_score
    >>> from ranking_scores.rankers import QueryRanker
    >>> cross_val_score(
    ...     QueryRanker(Ridge(), qid_from=-1),
    ...     np.column_stack([X, qid]),
    ...     y,
    ...     groups=qid,
    ...     scoring=make_ranking_scorer("ndcg@3", qid_from=-1),
    ...     cv=GroupKFold(3),
    ...     error_score="raise",
    ... ).mean().round(3)
    np.float64(0.681)
    """
    qid_from = check_qid_from(qid_from, _FUNCTION)
    bound = bind_score(score, params, _FUNCTION)
    params = bound.options
    for parameter in ARRAY_PARAMETERS:
        if parameter in params:
            expected = "left to metadata routing, since it has one value per row of the data"
            got = describe(params[parameter])
            code = (
                f"Call `.set_score_request({parameter}=True)` on the scorer and pass "
                f"`{parameter}` to the function that fits or validates."
                + (" If the ids are a column of X, use `qid_from`." * (parameter == "qid"))
            )
            raise invalid(parameter, _FUNCTION, expected, got, code=code)
    if params.get("labels", ()) is None:
        del params["labels"]
    plan = bound.plan(None, None)
    try_plans([plan])
    for parameter, is_one_number, code in (
        ("k", plan.call.cutoffs.is_single, _ONE_PER_CUTOFF),
        ("average", plan.call.average is not None, ""),
    ):
        if not is_one_number:
            expected = "such that the score is one number"
            got = describe(params.get(parameter))
            raise invalid(parameter, _FUNCTION, expected, got, code=code)
    sign = 1 if plan.greater_is_better else -1
    check_response_method(response_method, _FUNCTION)
    checked = make_scorer(bound.function, response_method=response_method)
    return _RankingScorer(bound.function, sign, params, checked._response_method, qid_from)


def check_response_method(response_method: Any, caller: str) -> None:
    """Raise unless this is a method of estimators that computes scores, or several of them."""
    methods = ("decision_function", "predict_proba", "predict")
    given = [response_method] if isinstance(response_method, str) else response_method
    is_list = isinstance(given, Sequence) and len(given) > 0
    if not is_list or not all(isinstance(each, str) and each in methods for each in given):
        expected = f"{', '.join(map(repr, methods[:-1]))} or 'predict', or a list of these"
        raise invalid("response_method", caller, expected, describe(response_method))


def response_of(
    estimator: Any,
    X: Any,
    y_true: Any,
    options: dict[str, Any],
    response_method: str | Sequence[str],
    caller: str,
) -> dict[str, Any]:
    """Return the arguments that a scorer would pass to its score: `y_true`, `y_score`, options.

    The options include `labels` if the columns of the response are classes.
    """
    taken: dict[str, Any] = {}

    def take(y_true: Any, y_score: Any, **options: Any) -> float:
        taken.update(options, y_true=y_true, y_score=y_score)
        return 0.0

    checked = make_scorer(take, response_method=response_method)
    _RankingScorer(take, 1, options, checked._response_method, None, caller)(estimator, X, y_true)
    return taken


_WARNED: set[tuple[str, str]] = set()
"""The marks of the scorers that have warned in this process, each with its reason."""


class _RankingScorer(_Scorer):  # type: ignore[misc]
    """scikit-learn's scorer, except for the meaning of the columns of a classifier's response."""

    def __init__(
        self,
        score_func: Callable[..., Any],
        sign: int,
        kwargs: dict[str, Any],
        response_method: str | Sequence[str],
        qid_from: QidFrom | None,
        caller: str = _FUNCTION,
    ) -> None:
        super().__init__(score_func, sign, kwargs, response_method)
        self._qid_from = qid_from
        self._caller = caller
        # Copies keep it. So clones, and copies that workers unpickle for each fold, warn once.
        self._mark = uuid4().hex

    def __repr__(self) -> str:
        text = str(super().__repr__()).replace("make_scorer(", "make_ranking_scorer(", 1)
        if self._qid_from is None:
            return text
        name = getattr(self._qid_from, "__qualname__", repr(self._qid_from))
        return f"{text[:-1]}, qid_from={name})"

    def _score(
        self, method_caller: Callable[..., Any], estimator: Any, X: Any, y_true: Any, **kwargs: Any
    ) -> float:
        kwargs = _with_ids(kwargs, X, self._qid_from)
        ids = None
        if kwargs.get("qid") is not None and np.ndim(y_true) == 1:  # otherwise rows are queries
            ids = check_ids_of_rows(kwargs["qid"], np.size(y_true), _FUNCTION)
        classes: Any = getattr(estimator, "classes_", None)
        is_multilabel = isinstance(classes, list)
        caller, has_qid = self._caller, "qid" in kwargs or "qid" in self._kwargs
        labels = self._kwargs.get("labels")
        may_be_grades = False
        if not has_qid and self._ranks_classes(estimator, y_true):
            _check_known(y_true, classes, caller)
            if np.size(classes) > 2:
                kwargs["labels"] = classes
                may_be_grades = self._may_be_grades(classes)

        def response(estimator: Any, method: str, X: Any, **pos_label: Any) -> Any:
            _check_columns(estimator, method, caller)
            if is_multilabel:
                y_score = _multilabel_response(
                    getattr(estimator, method)(X), classes, method, caller
                )
            elif labels is None or (len(labels) > 2 and np.array_equal(labels, classes)):
                y_score = method_caller(estimator, method, X, **pos_label)
            else:
                y_score = _columns_of(
                    labels, getattr(estimator, method)(X), classes, method, caller
                )
            if is_sparse(y_score):  # labels are 0 in cells that are not stored
                y_score = y_score.toarray()
            columns = Indexes(caller, has_columns=True, may_be_renamed=True)
            columns.check("y_true", y_true)
            columns.check("y_score", y_score, has_index=False)
            # The rows are those of X, whatever the index says, and columns may have other names.
            if hasattr(y_score, "iloc") or column_names(y_score) is not None:
                y_score = check_real_array(y_score, "y_score", caller)
            if not has_qid:
                _check_routed(y_true, y_score, caller)
            if (is_multilabel or classes is None) and np.ndim(y_true) == 1 < np.ndim(y_score):
                expected = (
                    "2-D, with one column per column of the estimator's response, since the "
                    "estimator has no classes for them"
                )
                got = f"shape {np.shape(y_true)} with a response of shape {np.shape(y_score)}"
                raise invalid("y_true", caller, expected, got)
            return y_score

        value = float(super()._score(response, estimator, X, y_true, **kwargs))
        if may_be_grades:
            name = type(estimator).__name__
            self._warn_once(
                "grades",
                f"make_ranking_scorer ranks the {np.size(estimator.classes_)} numeric classes of "
                f"{name} for each row, as class labels. If they are grades of items, call "
                "`scorer.set_score_request(qid=True)` and pass `qid`, or use `qid_from=`, usually "
                "with response_method='predict' or with an estimator that predicts the expected "
                "grade. If the classes are the items to rank, pass `labels=`.",
            )
        if ids is not None:
            self._warn_of_cut_queries(estimator, ids)
        return value

    def _ranks_classes(self, estimator: Any, y_true: Any) -> bool:
        """Return whether the items are the classes of a classifier, if there is no `qid`."""
        classes, methods = getattr(estimator, "classes_", None), self._response_method
        methods = [methods] if isinstance(methods, str) else methods
        return (
            self._kwargs.get("labels") is None
            and np.ndim(y_true) == 1
            and not isinstance(classes, list)
            and np.size(cast(Any, classes)) > 1
            and next((name for name in methods if hasattr(estimator, name)), None) != "predict"
        )

    def _may_be_grades(self, classes: Any) -> bool:
        """Return whether ranked classes may be grades. Raise if the scorer requests `qid`."""
        if self._caller != _FUNCTION or np.asarray(classes).dtype.kind not in "iuf":
            return False
        request = self.get_metadata_routing().score.requests.get("qid")
        if request is True or (isinstance(request, str) and request.isidentifier()):
            name = "qid" if request is True else request
            expected = "passed if the scorer requests it"
            code = (
                f"Pass `{name}` to the function that fits or validates, with metadata "
                "routing enabled."
            )
            raise invalid("qid", _FUNCTION, expected, "None", code=code)
        return request is None

    def _warn_of_cut_queries(self, estimator: Any, ids: NDArray[Any]) -> None:
        """Warn, once per scorer and process, that queries were cut, if that is known."""
        last = _last_of(estimator)
        if getattr(last, "query_ids_", None) is None:
            return
        runs = cut_into_runs(ids, _FUNCTION)
        n_cut = n_cut_apart((last.query_ids_, last.query_sizes_), (runs.ids, runs.sizes))
        if n_cut:
            self._warn_once(
                "cut queries",
                f"make_ranking_scorer scores only some rows of at least {n_cut} of "
                f"{runs.ids.size} queries: the estimator was fitted on their other rows. Ranking "
                "a part of a query is a different, often easier, task. Keep all rows of a query "
                "in one fold, such as by `GroupKFold` with `groups=qid`.",
            )

    def _warn_once(self, what: str, message: str) -> None:
        """Warn of something unless this scorer or a copy has already done so in this process."""
        if (self._mark, what) not in _WARNED:
            warnings.warn(message, UserWarning, stacklevel=3)
            _WARNED.add((self._mark, what))


def _with_ids(metadata: dict[str, Any], X: Any, qid_from: QidFrom | None) -> dict[str, Any]:
    """Return the metadata, with the query ids from X and without a `qid` of None."""
    known = {name: each for name, each in metadata.items() if name != "qid" or each is not None}
    if qid_from is None:
        return known
    if "qid" in known:
        expected = "None if the scorer takes the ids from X, by `qid_from`"
        raise invalid("qid", _FUNCTION, expected, describe(known["qid"]))
    return known | {"qid": take_ids(X, qid_from, _FUNCTION)}


def _last_of(estimator: Any) -> Any:
    """Return the last step of a pipeline, or of the best one of a search."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def _check_routed(y_true: Any, y_score: Any, caller: str) -> None:
    """Raise if each row is an item and its query is unknown."""
    if np.ndim(y_true) == 1 == np.ndim(y_score):
        is_routed = caller == _FUNCTION
        raise invalid(
            "qid",
            caller,
            f"{'routed to the scorer' if is_routed else 'given'} if y_true is 1-D, with one item "
            "per row",
            "None",
            code="Use `sklearn.set_config(enable_metadata_routing=True)`, "
            "`scorer.set_score_request(qid=True)` and `search.fit(X, y, qid=qid)`, or "
            "`make_ranking_scorer(..., qid_from=...)` if the ids are in X."
            if is_routed
            else "",
        )


def _check_columns(estimator: Any, method: str, caller: str) -> None:
    """Raise if the columns of a decision function are pairs of classes."""
    last = _last_of(estimator)
    if hasattr(last, "qid_from"):  # a QueryRanker, which passes on another's response
        last = _last_of(last.estimator_)
    if (
        method == "decision_function"
        and getattr(last, "decision_function_shape", None) == "ovo"
        and np.size(last.classes_) > 2
    ):
        expected = "such that each column belongs to one class"
        got = "decision_function of an estimator with decision_function_shape='ovo'"
        code = "Use decision_function_shape='ovr'."
        raise invalid("response_method", caller, expected, got, code=code)


def _check_known(y_true: Any, classes: NDArray[Any], caller: str) -> None:
    """Raise if `y_true` has classes that an estimator was not fitted on."""
    unknown = np.setdiff1d(y_true, classes)
    if unknown.size:
        expected = "given if y_true has classes that the estimator was not fitted on"
        got = f"None, and y_true has {unknown.tolist()}"
        advice = (
            "Pass all classes, sorted, or use a splitter that puts every class into every fold."
        )
        raise invalid("labels", caller, expected, got, advice)


def _columns_of(
    labels: Any, response: Any, classes: NDArray[Any], method: str, caller: str
) -> NDArray[np.float64]:
    """Return one column per label: 0 for a class that the estimator has not seen."""
    if method == "predict":
        expected = "'decision_function' or 'predict_proba' if `labels` is given"
        raise invalid("response_method", caller, expected, "'predict'")
    if method == "decision_function" and np.size(labels) == 2 and np.array_equal(labels, classes):
        return np.column_stack([-response, response])  # above 0 means the second class
    if method != "predict_proba" or np.setdiff1d(classes, labels).size:
        known = classes.tolist() if isinstance(classes, np.ndarray) else classes
        raise invalid(
            "labels",
            caller,
            "the classes that the estimator was fitted on, and more only if it predicts "
            "probabilities",
            f"{describe(labels)} for {method} and the classes {known}",
            code="Use response_method='predict_proba', which gives the probability 0 to a class "
            "that was not seen, or a splitter that puts every class into every fold.",
        )
    columns = np.zeros((np.size(response, 0), len(labels)))
    columns[:, np.searchsorted(labels, classes)] = response
    return columns


def _multilabel_response(response: Any, classes: list[Any], method: str, caller: str) -> Any:
    """Return one column per output: the probability that it is 1, not 0."""
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
            expected = "'predict' unless each output of the estimator is 0 or 1"
            got = f"{method!r} with the classes {describe(classes_of_output)} of output {output}"
            advice = "If the estimator was fitted on sparse y, try dense y."
            raise invalid("response_method", caller, expected, got, advice)
        # An output that was always 0 in the training data has no column for 1.
        columns.append(probability[:, of_output == 1].sum(axis=1))
    return np.column_stack(columns)
