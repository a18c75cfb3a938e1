"""The rankers of XGBoost, LightGBM and CatBoost, fitted on rows with the id of their query."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sized
from dataclasses import replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from ranking_scores._base import (
    Indexes,
    Runs,
    advise_on_sizes,
    check_finite_weights,
    describe,
    invalid,
    stable_order,
)
from ranking_scores._queries import (
    QidFrom,
    by_qid,
    check_ids_of_rows,
    check_qid_from,
    cut_into_runs,
    is_shared,
    leave_ids_out,
    take_ids,
    value_of_query,
)
from ranking_scores.exceptions import InvalidParameterError

__all__ = ["QueryRanker"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


def __dir__() -> list[str]:
    return __all__


_OF_ROWS = (
    "base_margin",
    "baseline",
    "group_weight",
    "init_score",
    "sample_weight",
    "subgroup_id",
)
"""The parameters of ``fit`` with one value per row, of any of the three libraries."""
_NUMBER_ROWS = ("graph", "pairs", "pairs_weight")
"""The parameters that refer to rows by number."""
_OF_OTHERS = (
    "base_margin_eval_set",
    "callbacks",
    "cat_features",
    "categorical_feature",
    "embedding_features",
    "feature_name",
    "feature_weights",
    "sample_weight_eval_set",
    "text_features",
)
"""The parameters that do not concern the rows, like all that begin with ``eval_``."""


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

    Attributes
    ----------
    estimator_ : estimator
        The clone of `estimator` that was fitted.

    query_ids_ : ndarray of shape (n_queries,)
        The sorted ids of the queries in `fit`. The attribute is absent if `fit` got no ids.

    query_sizes_ : ndarray of int of shape (n_queries,)
        The number of rows of each of these queries. The attribute is absent if `fit` got no ids.

    classes_ : ndarray of shape (n_classes,), or a list of them
        The classes of the fitted estimator, if it is a classifier.

    n_features_in_ : int
        The number of columns of X in `fit`, including the column of the ids.

    feature_names_in_ : ndarray of shape (n_features,)
        The names of the columns of X in `fit`, if all of them are strings.

    Raises
    ------
    ValueError, TypeError
        If a parameter of `fit` is not as described there. The error is of both types, as in
        scikit-learn.

    See Also
    --------
    make_ranking_scorer : Makes a scorer for scikit-learn's model selection.
    sizes_from_qid : Computes the query sizes that LightGBM's validation sets take.

    Notes
    -----
    `QueryRanker` imports none of these libraries. It reads the parameters of the estimator's
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

    def __init__(self, estimator: Any, *, qid_from: QidFrom | None = None) -> None:
        self.estimator = estimator
        self.qid_from = qid_from

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
            the rows have to be sorted by query. In that case:

            - `base_margin`, `baseline`, `group_weight`, `init_score`, `subgroup_id` and the
              `sample_weight` of a pipeline's step are sorted with the rows.
            - All parameters that begin with `eval_`, callbacks, and names, indices and weights of
              features are passed on unchanged.
            - `pairs`, `pairs_weight` and `graph`, which refer to rows by number, raise an error,
              and so does any other parameter that has as many entries as X has rows. Sort the
              rows by query first.

            A validation set needs the form that the estimator expects: `eval_qid`, `eval_group`,
            or a ``catboost.Pool``. If `qid_from` takes a column out of X, leave that column out
            of the validation features too. Features with as many columns as X are refused, unless
            one of the columns is `qid`, which XGBoost takes out by itself.

        Returns
        -------
        self : QueryRanker
            The fitted ranker.
        """
        _check_estimator(self.estimator)
        _refuse_groups(fit_params)
        features, qid = self._split(X, qid)
        validate_data(self, X, y, skip_check_array=True)
        per_row = {"X": X, "y": y, "qid": qid, "sample_weight": sample_weight}
        per_row |= {name: each for name, each in fit_params.items() if _last(name) in _OF_ROWS}
        runs = _read_queries(per_row)
        for attribute in ("query_ids_", "query_sizes_"):  # of an earlier fit
            self.__dict__.pop(attribute, None)
        if runs is not None:
            self.query_ids_, self.query_sizes_ = runs.ids, runs.sizes
            sample_weight = _in_rows(sample_weight, runs)
        wanted = _wanted_by(self.estimator)
        if isinstance(self.qid_from, (str, Integral)):  # a callable leaves X as it is
            _refuse_ids_in_validation(fit_params, self.qid_from, self.n_features_in_, wanted)
        made = {} if sample_weight is None else {"sample_weight": sample_weight}
        if wanted.names:
            if runs is None:
                raise _without_qid(wanted.by)
            if y is None:
                raise invalid("y", _FIT, "the relevance of each item", "None")
            order = _order_of(runs)
            made = _make_params(wanted.names, runs, _check_weight(sample_weight, runs), order)
            if order is not None:
                fit_params = _sort_params(fit_params, order)
                features, y = _sort(features, order), _sort(y, order)
        _refuse_weights(fit_params, wanted, made)
        params = {wanted.prefix + name: value for name, value in made.items()} | fit_params
        self.estimator_ = _fit(clone(self.estimator), features, y, params)
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
            raise invalid("qid", _FIT, expected, describe(qid))
        return leave_ids_out(X, qid_from, _FIT), take_ids(X, qid_from, _FIT)


_FIT = "QueryRanker.fit"


class _Wanted(NamedTuple):
    """The form in which the ``fit`` of an estimator takes the queries."""

    names: frozenset[str]
    """The parameters among `qid`, `group` and `group_id` that it takes. Empty if no ranker."""
    prefix: str
    """The prefix of the names of parameters: the steps of pipelines."""
    by: str
    """The name of its class. For a pipeline, the class of the last step."""


def _wanted_by(estimator: Any) -> _Wanted:
    """Return the form that the ``fit`` of an estimator, or of a pipeline's last step, takes."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    names: frozenset[str] = frozenset()
    for cls in type(estimator).__mro__:
        if "fit" in vars(cls):
            parameters = inspect.signature(vars(cls)["fit"]).parameters
            names = frozenset({"qid", "group", "group_id"} & parameters.keys())
            kinds = {each.kind for each in parameters.values()}
            if names or inspect.Parameter.VAR_KEYWORD not in kinds:
                break  # otherwise it passes its arguments on to the class above
    return _Wanted(names, prefix, type(estimator).__name__)


def _check_estimator(estimator: Any) -> None:
    """Raise unless an estimator can be fitted."""
    methods = [hasattr(estimator, name) for name in ("fit", "predict", "get_params")]
    if isinstance(estimator, type) or not all(methods):
        expected = "an estimator with `fit`, `predict` and `get_params`"
        is_class = isinstance(estimator, type)
        code = f"Pass an instance: `{estimator.__name__}()`." if is_class else ""
        raise invalid("estimator", "QueryRanker", expected, describe(estimator), code=code)


def _refuse_groups(fit_params: dict[str, Any]) -> None:
    """Raise if the queries are passed in the ranker's own form, not as `qid`."""
    for name in fit_params:
        last = _last(name)
        if last in ("qid", "group", "group_id"):
            code = advise_on_sizes(name) if last == "group" else "Pass the ids as `qid`."
            expected = "left out, since it is computed from `qid`"
            raise invalid(name, _FIT, expected, describe(fit_params[name]), code=code)


def _refuse_weights(fit_params: dict[str, Any], wanted: _Wanted, made: dict[str, Any]) -> None:
    """Raise if the weights are passed in the ranker's own form, not as `sample_weight`."""
    for name in ("sample_weight", "group_weight"):
        is_made = name in made or (wanted.names and name == "sample_weight")
        if is_made and wanted.prefix + name in fit_params:
            expected = "left out, since it is computed from `sample_weight`"
            got = describe(fit_params[wanted.prefix + name])
            code = "Pass one weight per row as `sample_weight`."
            raise invalid(wanted.prefix + name, _FIT, expected, got, code=code)


def _refuse_ids_in_validation(
    fit_params: dict[str, Any], qid_from: Any, n_columns: int, wanted: _Wanted
) -> None:
    """Raise if features of a validation set have as many columns as X has with the ids."""
    for name, value in fit_params.items():
        if _last(name) not in ("eval_X", "eval_set"):
            continue
        for each in value if isinstance(value, list | tuple) else [value]:
            features = each[0] if isinstance(each, list | tuple) and each else each  # of (X, y)
            is_special = wanted.names >= {"qid", "group"} and hasattr(features, "qid")  # XGBoost
            if getattr(features, "shape", ())[1:] == (n_columns,) and not is_special:
                expected = "without the column of ids, which the estimator does not see"
                got = f"{n_columns} columns, as many as X has including the ids,"
                remedy = f"`np.delete(X_val, {qid_from}, axis=1)` for an array"
                if isinstance(qid_from, str):
                    remedy = f"`X_val.drop(columns={qid_from!r})` for a pandas DataFrame"
                raise invalid(name, _FIT, expected, got, code=f"Leave it out: {remedy}.")


def _without_qid(ranker: str) -> InvalidParameterError:
    """Return the error about a ranker that lacks the ids of the queries."""
    return invalid(
        "qid",
        _FIT,
        f"the query id of each row, which {ranker} needs",
        "None",
        code="Use `fit(X, y, qid=qid)`, also for a search, or `QueryRanker(..., qid_from=...)` if "
        "the ids are in X. To make ids from the sizes of queries, use "
        "`qid=ranking_scores.qid_from_sizes(sizes)`.",
    )


def _read_queries(per_row: dict[str, Any]) -> Runs | None:
    """Return the queries of the rows, or None if there are no ids."""
    indexes = Indexes(_FIT, has_columns=False)
    for parameter, values in per_row.items():
        if values is not None:
            indexes.check(parameter, values)
    if per_row["qid"] is None:
        return None
    check_consistent_length(per_row["X"], per_row["y"])
    n_rows = _num_samples(per_row["X"])
    if n_rows == 0:
        raise invalid("X", _FIT, "an array with at least one row", "no rows")
    ids = check_ids_of_rows(per_row["qid"], n_rows, _FIT)
    return cut_into_runs(ids, _FIT)


def _order_of(runs: Runs) -> Positions | None:
    """Return the order that sorts rows by query, or None if they are sorted."""
    return stable_order(runs.which_of_row) if (np.diff(runs.which) < 0).any() else None


def _sort(values: Any, order: Positions) -> Any:
    """Return the values of rows in another order."""
    return _safe_indexing(values.tocsr() if issparse(values) else values, order)


def _sort_params(fit_params: dict[str, Any], order: Positions) -> dict[str, Any]:
    """Return the parameters of ``fit`` for rows in another order."""
    in_order = dict(fit_params)
    for name, value in fit_params.items():
        last = _last(name)
        has_value_for_each = _n_entries(value) == order.size
        if value is None or last in _OF_OTHERS or last.startswith("eval_"):
            continue
        if last in _OF_ROWS:
            if not has_value_for_each:
                expected = f"an array of {order.size} entries, one per row"
                raise invalid(name, _FIT, expected, describe(value))
            in_order[name] = _sort(value, order)
        elif last in _NUMBER_ROWS or has_value_for_each:
            why = (
                "refers to rows by number" if last in _NUMBER_ROWS else "may be one value per row"
            )
            expected = f"left out if rows have to be sorted by query, since it {why}"
            advice = "Sort the rows by query first. Then it is passed on unchanged."
            raise invalid(name, _FIT, expected, describe(value), advice)
    return in_order


def _n_entries(value: Any) -> int | None:
    """Return the number of entries of an array, a frame or a list, and None for the rest."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return shape[0] if shape else None
    return len(value) if isinstance(value, Sized) and not isinstance(value, str) else None


def _last(name: str) -> str:
    """Return the name of a parameter without its prefix of pipeline steps."""
    return name.rpartition("__")[2]


def _in_rows(sample_weight: Any, runs: Runs) -> Any:
    """Return the weight of each row if weights came with the ids of the queries."""
    given = by_qid(sample_weight, "sample_weight", runs.n_rows)
    if given is None:
        return sample_weight
    weight = check_finite_weights(given.values, "sample_weight", _FIT)
    return weight[given.places_of(runs.ids, "sample_weight", _FIT)][runs.which_of_row]


def _check_weight(sample_weight: ArrayLike | None, runs: Runs) -> Floats | None:
    """Return the weight of each row."""
    if sample_weight is None:
        return None
    weight = check_finite_weights(sample_weight, "sample_weight", _FIT)
    if weight.size != runs.n_rows:
        expected = f"of shape ({runs.n_rows},), one weight per row"
        code = _REPEAT_WEIGHTS if weight.size == runs.ids.size else ""
        raise invalid("sample_weight", _FIT, expected, f"shape {weight.shape}", code=code)
    return weight


_REPEAT_WEIGHTS = (
    "Repeat the weight of each query for its rows: `np.repeat(sample_weight, sizes)` if the rows "
    "of each query are adjacent, otherwise `np.asarray(sample_weight)[query]` with the number of "
    "the query of each row."
)


def _make_params(
    names: frozenset[str], runs: Runs, weight: Floats | None, order: Positions | None
) -> dict[str, Any]:
    """Return the parameters that tell a ranker the queries, and the weights of sorted rows."""
    made: dict[str, Any] = {"group": runs.sizes}
    if names != {"group"}:
        query = np.repeat(np.arange(runs.ids.size), runs.sizes)
        made = {"qid" if "qid" in names else "group_id": query}
    if weight is None:
        return made
    if names >= {"qid", "group"}:  # XGBoost weighs queries
        return made | {"sample_weight": value_of_query(runs, weight, "sample_weight", _FIT)}
    # YetiRank, the default loss of CatBoost, does not support weights of rows.
    are_of_queries = names == {"group_id"} and is_shared(runs, weight)
    name = "group_weight" if are_of_queries else "sample_weight"
    return made | {name: weight if order is None else weight[order]}


def _fit(estimator: Any, X: Any, y: Any, params: dict[str, Any]) -> Any:
    """Return a fitted estimator."""
    if not isinstance(estimator, Pipeline):
        estimator.fit(X, y, **params)
        return estimator
    # Without routing, a pipeline passes parameters to a step by its name. With routing enabled it
    # would refuse.
    with config_context(enable_metadata_routing=False):
        estimator.fit(X, y, **params)
    return estimator
