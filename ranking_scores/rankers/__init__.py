"""The rankers of XGBoost, LightGBM and CatBoost, fitted on rows with the id of their query."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from ranking_scores._base._errors import invalid
from ranking_scores._base._ids import IdRuns
from ranking_scores._base._index import Indexes
from ranking_scores._base._validation import advise_on_sizes, check_real, describe
from ranking_scores._queries._query_ids import (
    check_ids_of_rows,
    check_qid_from,
    cut_into_runs,
    leave_ids_out,
    take_ids,
)
from ranking_scores.rankers._libraries import (
    FIT,
    ROW_PARAMETERS,
    RankerForm,
    check_weight,
    form_of,
    hold_out,
    in_form_of,
    in_order,
    in_rows,
    last_of,
    make_params,
    set_of_part,
    take,
    take_params,
    with_validation_sets,
)

__all__ = ["QueryRanker"]


def __dir__() -> list[str]:
    return __all__


def _estimator_has(method: str) -> Callable[[QueryRanker], bool]:
    """Return a function that checks whether a `QueryRanker`'s estimator has a method."""

    def has(ranker: QueryRanker) -> bool:
        return hasattr(getattr(ranker, "estimator_", ranker.estimator), method)

    return has


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a ranker on rows in any order, with a query id for each row.

    The rankers of XGBoost, LightGBM and CatBoost each expect the queries in a different form.
    They also expect the rows sorted by query, an order that scikit-learn's folds may break.
    `QueryRanker` takes `qid` and `sample_weight` with one value per row, as scikit-learn does,
    and converts them to the form that the ranker expects.

    Parameters
    ----------
    estimator : estimator
        The ranker: ``XGBRanker``, ``LGBMRanker``, ``CatBoostRanker``, a subclass of one of them,
        or a ``Pipeline`` that ends in one. Any other estimator, such as a regressor, is fitted
        without the ids, on the rows in their given order.

    qid_from : str, int or callable, default=None
        The place of the query ids in X:

        - A str is the name of a column of a frame.
        - An int is the index of a column, even if the names of the columns are ints.
        - A callable takes X and returns the query id of each row.
        - None means that the ids are passed to `fit` as `qid`.

        The estimator does not see a column that is given by name or by index, neither in `fit`
        nor in `predict`. With a callable it sees all columns.

    validation_fraction : float, default=None
        The share of the queries that `fit` holds out and passes to the ranker as its validation
        set, for early stopping. It is a number between 0 and 1, of which at least one query is
        held out. None holds out no queries. The ranker itself has to be told when to stop:
        ``XGBRanker(early_stopping_rounds=10)``, ``LGBMRanker(early_stopping_round=10)`` or
        ``CatBoostRanker(early_stopping_rounds=10)``. XGBoost prints its values on these queries
        only if `fit` gets ``verbose=True``.

    random_state : int, RandomState instance or None, default=None
        The source of randomness for the queries that are held out. Pass an int to hold out the
        same queries in every call.

    Attributes
    ----------
    estimator_ : estimator
        The clone of `estimator` that was fitted.

    query_ids_ : ndarray of shape (n_queries,)
        The sorted ids of the queries in `fit`. The attribute is absent if `fit` got no ids.

    query_sizes_ : ndarray of int of shape (n_queries,)
        The number of rows of each of these queries. The attribute is absent if `fit` got no ids.

    validation_query_ids_ : ndarray of shape (n_validation_queries,)
        The sorted ids of the queries that were held out. The attribute is absent if
        `validation_fraction` is None.

    classes_ : ndarray of shape (n_classes,), or a list of them
        The classes of the fitted estimator, if it is a classifier.

    n_features_in_ : int
        The number of columns of X in `fit`, including the column of the ids.

    feature_names_in_ : ndarray of shape (n_features,)
        The names of the columns of X in `fit`, if all of them are strings.

    Raises
    ------
    ValueError, TypeError
        If a parameter of `fit` is not as described there, or if `validation_fraction` is given
        for an estimator that takes no validation set of queries. The error is of both types, as
        in scikit-learn.

    See Also
    --------
    make_ranking_scorer : Makes a scorer for scikit-learn's model selection.
    sizes_from_qid : Computes the query sizes that LightGBM's validation sets take.

    Notes
    -----
    `QueryRanker` needs none of these libraries. It reads the parameters of the estimator's
    ``fit`` and passes the queries and weights in the matching form:

    - `group` and `qid`, as in ``XGBRanker``: `qid`, and one weight per query.
    - `group`, as in ``LGBMRanker``: the sizes of the queries, and one weight per row.
    - `group_id`, as in ``CatBoostRanker``: one id per row. The weights become `group_weight` if
      all rows of each query have the same weight, and `sample_weight` otherwise. Most losses of
      CatBoost treat the two alike. Its default loss, ``YetiRank``, does not support
      `sample_weight`.
    - `qid` alone: `qid`, and one weight per row.

    `QueryRanker` sorts the rows by query if they are not sorted yet. Rows of the same query keep
    their order. So neither the order of the queries nor interleaved rows change the model. The
    order of the rows within a query may change it: at the start of gradient boosting all scores
    tie, and the libraries break these ties by position. A prediction depends on its row alone.

    The rows of a validation set are sorted in the same way, and passed in the form that the
    ranker takes: `eval_set` and `eval_qid`, `eval_X` or `eval_set` and `eval_group`, or a
    ``catboost.Pool``. See `fit`. With `validation_fraction`, whole queries of the training rows
    become this set, with their weights and start scores. They depend on `random_state` and on the
    ids, not on the order of the rows. `query_ids_` has them, too. `validation_fraction` needs the
    ranker itself, not a pipeline that ends in one, since a pipeline does not transform validation
    sets. Make the `QueryRanker` the last step of the pipeline instead.

    If `qid_from` names a column, the estimator sees one column less than X has. Indices of
    features, as in `categorical_feature` and `cat_features`, then count the columns without it.

    A classifier stays a classifier inside `QueryRanker`. Scorers read its classes, probabilities
    and decisions as they would without it.

    With metadata routing enabled, `QueryRanker` requests `qid` by itself. Request `sample_weight`
    with ``set_fit_request(sample_weight=True)``. The requests of `estimator` have no effect.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from ranking_scores.rankers import QueryRanker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(6, 2))
    >>> y, qid = [0, 1, 2, 0, 0, 1], ["b", "b", "a", "b", "a", "a"]
    >>> ranker = QueryRanker(Ridge()).fit(X, y, qid=qid)
    >>> ranker.query_ids_, ranker.query_sizes_
    (array(['a', 'b'], dtype=object), array([3, 3]))
    >>> ranker.predict(X).shape
    (6,)

    The call is the same for every ranker::

        from lightgbm import LGBMRanker

        search = GridSearchCV(
            QueryRanker(LGBMRanker()),
            {"estimator__num_leaves": [7, 31]},
            scoring=make_ranking_scorer("ndcg@10").set_score_request(qid=True),
            cv=GroupKFold(5),
        )
        search.fit(X, y, qid=qid, groups=qid)
    """

    __metadata_request__fit = {"qid": True}  # noqa: RUF012 (as scikit-learn reads it)

    def __init__(
        self,
        estimator: Any,
        *,
        qid_from: str | int | Callable[[Any], Any] | None = None,
        validation_fraction: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.qid_from = qid_from
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> QueryRanker:
        """Fit the estimator.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_rows, n_features)
            The features: one item per row, with the rows in any order.

        y : array-like of shape (n_rows,)
            The relevance of each item, in the form that the estimator takes.

        qid : array-like of shape (n_rows,), default=None
            The query id of each row, of any sortable type. A ranker needs the ids, either here
            or in X by `qid_from`.

        sample_weight : array-like of shape (n_rows,), Series or dict, default=None
            The weight of each row, finite and not negative. ``XGBRanker`` weighs queries, so all
            rows of a query must have the same weight. Or one weight for each query: a Series whose
            index has the ids of the queries, or a dict. None means equal weights.

        **fit_params
            Further parameters of the estimator's ``fit``. They are passed on unchanged, unless
            the rows have to be sorted by query or some of them are held out. In that case:

            - `base_margin`, `baseline`, `group_weight`, `init_score`, `subgroup_id` and the
              `sample_weight` of a pipeline's step are sorted with the rows.
            - Callbacks, and names, indices and weights of features, are passed on unchanged.
            - `pairs`, `pairs_weight` and `graph`, which refer to rows by number, raise an error,
              and so does any other parameter that has as many entries as X has rows. Sort the
              rows by query first.

            Validation sets have the same form for all three libraries: ``eval_set=[(X_val,
            y_val)]`` with ``eval_qid=[qid_val]``, the query id of each row. The rows may be in
            any order. If `qid_from` is given, the ids are taken from X_val as from X, and
            `eval_qid` is left out. `sample_weight_eval_set` and `base_margin_eval_set` of XGBoost
            have one value per row, and so do `eval_sample_weight` and `eval_init_score` of
            LightGBM. They are sorted with the rows. LightGBM from 4.7 on also takes `eval_X` and
            `eval_y`. A validation set without ids is passed on unchanged. So the forms of the
            libraries work, too, with rows in the order that the library expects: `eval_group`, a
            ``catboost.Pool``, and a column ``qid`` for XGBoost, whose rows may be in any order.

        Returns
        -------
        self : QueryRanker
            The fitted ranker.
        """
        _check_estimator(self.estimator)
        for name in fit_params:
            last = last_of(name)
            if last in ("qid", "group", "group_id"):
                code = advise_on_sizes(name) if last == "group" else "Pass the ids as `qid`."
                expected = "left out, since it is computed from `qid`"
                raise invalid(name, FIT, expected, describe(fit_params[name]), code=code)
        form = form_of(self.estimator)
        if self.validation_fraction is not None:
            _check_hold_out(self.validation_fraction, self.random_state, form, fit_params)
        features, qid = self._split(X, qid)
        validate_data(self, X, y, skip_check_array=True)
        per_row = {"X": X, "y": y, "qid": qid, "sample_weight": sample_weight}
        per_row |= {
            name: each for name, each in fit_params.items() if last_of(name) in ROW_PARAMETERS
        }
        runs = _read_queries(per_row)
        for attribute in ("query_ids_", "query_sizes_", "validation_query_ids_"):  # of another fit
            self.__dict__.pop(attribute, None)
        if runs is not None:
            self.query_ids_, self.query_sizes_ = runs.ids, runs.sizes
            sample_weight = in_rows(sample_weight, runs, "sample_weight")
        fit_params = with_validation_sets(
            fit_params, form, self.qid_from, getattr(self, "n_features_in_", 0)
        )
        made = {} if sample_weight is None else {"sample_weight": sample_weight}
        if form.names:
            if runs is None:
                expected = f"the query id of each row, which {form.by} needs"
                raise invalid("qid", FIT, expected, "None", code=_PASS_QID)
            if y is None:
                raise invalid("y", FIT, "the relevance of each item", "None")
            weight = None
            if sample_weight is not None:
                weight = check_weight(sample_weight, runs, "sample_weight")
            part, validation = in_order(runs), {}
            if self.validation_fraction is not None:
                part, held_out = hold_out(part, self.validation_fraction, self.random_state)
                self.validation_query_ids_ = held_out.runs.ids
                held_out_set = set_of_part(held_out, features, y, weight, fit_params, form)
                validation = in_form_of(form, [held_out_set], fit_params)
                if form.is_xgboost and "verbose" in form.parameters:  # nobody passed a set
                    fit_params = {f"{form.prefix}verbose": False} | fit_params
            made = make_params(form, part.runs, take(weight, part.rows))
            fit_params = take_params(fit_params, part.rows, runs.n_rows) | validation
            features, y = take(features, part.rows), take(y, part.rows)
        for name in ("sample_weight", "group_weight"):
            is_made = name in made or (form.names and name == "sample_weight")
            if is_made and form.prefix + name in fit_params:
                expected = "left out, since it is computed from `sample_weight`"
                got = describe(fit_params[form.prefix + name])
                code = "Pass one weight per row as `sample_weight`."
                raise invalid(form.prefix + name, FIT, expected, got, code=code)
        params = {form.prefix + name: value for name, value in made.items()} | fit_params
        estimator = clone(self.estimator)
        # Without routing, a pipeline passes parameters to a step by its name. With routing enabled
        # it would refuse.
        is_pipeline = isinstance(estimator, Pipeline)
        with config_context(enable_metadata_routing=False) if is_pipeline else nullcontext():
            estimator.fit(features, y, **params)
        self.estimator_ = estimator
        return self

    def predict(self, X: Any, **predict_params: Any) -> Any:
        """Predict the score of each item from its row alone.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_rows, n_features)
            The features, with the same columns as in `fit`, including the column of ids if
            `qid_from` names one.

        **predict_params
            Further parameters of the estimator's ``predict``.

        Returns
        -------
        y_score : array-like of shape (n_rows,)
            The predictions of the estimator.
        """
        return self._ask("predict", X, predict_params)

    @available_if(_estimator_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, **predict_params: Any) -> Any:
        """Predict probabilities of classes, if the estimator has ``predict_proba``.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_rows, n_features)
            The features, with the same columns as in `fit`, including the column of ids if
            `qid_from` names one.

        **predict_params
            Further parameters of the estimator's ``predict_proba``.

        Returns
        -------
        probability : ndarray of shape (n_rows, n_classes), or a list of them
            The result of the estimator, with the classes in the order of `classes_`.
        """
        return self._ask("predict_proba", X, predict_params)

    @available_if(_estimator_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any, **predict_params: Any) -> Any:
        """Compute the decision function, if the estimator has one.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_rows, n_features)
            The features, with the same columns as in `fit`, including the column of ids if
            `qid_from` names one.

        **predict_params
            Further parameters of the estimator's ``decision_function``.

        Returns
        -------
        decision : ndarray of shape (n_rows,) or (n_rows, n_classes)
            The result of the estimator, with the classes in the order of `classes_`.
        """
        return self._ask("decision_function", X, predict_params)

    @property
    def classes_(self) -> Any:
        """The classes of the fitted estimator, if it is a classifier."""
        return self.estimator_.classes_

    def __sklearn_tags__(self) -> Any:
        # A QueryRanker takes the same data as its estimator. Scorers read the responses of
        # classifiers and outlier detectors by their type. Any other estimator only ranks.
        tags = get_tags(self.estimator)
        is_read_by_type = tags.estimator_type in ("classifier", "outlier_detector")
        return replace(
            tags,
            estimator_type=tags.estimator_type if is_read_by_type else None,
            regressor_tags=None,
            transformer_tags=None,
        )

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        """Return the answer of a method of the estimator."""
        check_is_fitted(self)
        if len(getattr(X, "shape", (0, 0))) != 1:  # otherwise the estimator raises its own error
            validate_data(self, X, reset=False, skip_check_array=True)
        if self.qid_from is not None:
            X = leave_ids_out(X, self.qid_from, f"QueryRanker.{method}")
        return getattr(self.estimator_, method)(X, **params)

    def _split(self, X: Any, qid: ArrayLike | None) -> tuple[Any, ArrayLike | None]:
        """Return the part of X that the estimator sees, and the ids of the queries."""
        qid_from = check_qid_from(self.qid_from, "QueryRanker")
        if qid_from is None:
            return X, qid
        if qid is not None:
            expected = "None if the ids are taken from X, by `qid_from`"
            raise invalid("qid", FIT, expected, describe(qid))
        return leave_ids_out(X, qid_from, FIT), take_ids(X, qid_from, FIT)


def _check_estimator(estimator: Any) -> None:
    """Raise unless an estimator can be fitted."""
    methods = [hasattr(estimator, name) for name in ("fit", "predict", "get_params")]
    if isinstance(estimator, type) or not all(methods):
        expected = "an estimator with `fit`, `predict` and `get_params`"
        is_class = isinstance(estimator, type)
        code = f"Pass an instance: `{estimator.__name__}()`." if is_class else ""
        raise invalid("estimator", "QueryRanker", expected, describe(estimator), code=code)


def _check_hold_out(
    fraction: Any, random_state: Any, form: RankerForm, fit_params: dict[str, Any]
) -> None:
    """Raise unless a share of the queries can be held out for validation."""
    parameter, expected = "validation_fraction", "None or a number between 0 and 1"
    if not 0 < check_real(fraction, parameter, "QueryRanker", expected) < 1:
        raise invalid(parameter, "QueryRanker", expected, describe(fraction))
    try:
        check_random_state(random_state)
    except ValueError as error:
        one = "None, an int from 0 to 2**32 - 1 or a RandomState"
        raise invalid("random_state", "QueryRanker", one, describe(random_state)) from error
    if form.prefix:
        expected = "None if the estimator is a Pipeline, which would not transform held-out rows"
        code = "Make the QueryRanker the last step: `make_pipeline(..., QueryRanker(ranker, "
        code += "validation_fraction=...))`."
        raise invalid(parameter, "QueryRanker", expected, describe(fraction), code=code)
    if not (form.names and form.parameters & {"eval_set", "eval_X"}):
        expected = f"None, since the `fit` of {form.by} takes no validation set of queries"
        raise invalid(parameter, "QueryRanker", expected, describe(fraction))
    for name in ("eval_set", "eval_X"):
        if fit_params.get(name) is not None:
            expected = "left out, since `validation_fraction` holds out rows for validation"
            raise invalid(name, FIT, expected, describe(fit_params[name]))


_PASS_QID = (
    "Use `fit(X, y, qid=qid)`, also for a search, or `QueryRanker(..., qid_from=...)` if the ids "
    "are in X. To make ids from the sizes of queries, use "
    "`qid=ranking_scores.qid_from_sizes(sizes)`."
)


def _read_queries(per_row: dict[str, Any]) -> IdRuns | None:
    """Return the queries of the rows, or None if there are no ids."""
    indexes = Indexes(FIT, has_columns=False)
    for parameter, values in per_row.items():
        if values is not None:
            indexes.check(parameter, values)
    if per_row["qid"] is None:
        return None
    check_consistent_length(per_row["X"], per_row["y"])
    n_rows = _num_samples(per_row["X"])
    if n_rows == 0:
        raise invalid("X", FIT, "an array with at least one row", "no rows")
    return cut_into_runs(check_ids_of_rows(per_row["qid"], n_rows, FIT), FIT)
