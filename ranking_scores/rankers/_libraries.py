"""The forms in which the ``fit`` of rankers takes rows, queries, weights and validation sets.

A validation set has what ``fit`` takes for training: features, labels, queries, weights and start
scores. XGBoost and LightGBM take each of these for all sets at once, in lists. CatBoost takes a
pool of each set.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sized
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_consistent_length

from ranking_scores._base._errors import import_extra, invalid
from ranking_scores._base._ids import IdRuns
from ranking_scores._base._index import Indexes
from ranking_scores._base._sorting import stable_order
from ranking_scores._base._validation import check_finite_weights, describe
from ranking_scores._queries._query_ids import (
    QidFrom,
    by_qid,
    check_ids_of_rows,
    cut_into_runs,
    has_ids_column,
    is_shared,
    leave_ids_out,
    take_ids,
    value_of_query,
)

Floats = NDArray[np.float64]

FIT = "QueryRanker.fit"


class RankerForm(NamedTuple):
    """The form in which the ``fit`` of an estimator takes the queries."""

    names: frozenset[str]
    """The parameters among `qid`, `group` and `group_id` that it takes. Empty if no ranker."""
    prefix: str
    """The prefix of the names of parameters: the steps of pipelines."""
    by: str
    """The name of its class. For a pipeline, the class of the last step."""
    parameters: frozenset[str]
    """The names of all parameters that it takes by name."""

    @property
    def is_xgboost(self) -> bool:
        """Whether it takes ids, and one weight per query, as XGBoost does."""
        return self.names >= {"qid", "group"}

    @property
    def is_catboost(self) -> bool:
        """Whether it takes ids of groups, and validation sets as pools, as CatBoost does."""
        return self.names == {"group_id"}


def form_of(estimator: Any) -> RankerForm:
    """Return the form that the ``fit`` of an estimator, or of a pipeline's last step, takes."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    names: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    for cls in type(estimator).__mro__:
        if "fit" in vars(cls):
            known = inspect.signature(vars(cls)["fit"]).parameters
            parameters = frozenset(known)
            names = parameters & {"qid", "group", "group_id"}
            kinds = {each.kind for each in known.values()}
            if names or inspect.Parameter.VAR_KEYWORD not in kinds:
                break  # otherwise it passes its arguments on to the class above
    return RankerForm(names, prefix, type(estimator).__name__, parameters)


def last_of(name: str) -> str:
    """Return the name of a parameter without its prefix of pipeline steps."""
    return name.rpartition("__")[2]


def make_params(
    form: RankerForm, runs: IdRuns, weight: Floats | None, parameter: str = "sample_weight"
) -> dict[str, Any]:
    """Return the parameters that tell a ranker the queries and the weights of sorted rows.

    `parameter` is the name under which the caller gave the weights.
    """
    made: dict[str, Any] = {"group": runs.sizes}
    if form.names != {"group"}:
        query = np.repeat(np.arange(runs.ids.size), runs.sizes)
        made = {"qid" if "qid" in form.names else "group_id": query}
    if weight is None:
        return made
    if form.is_xgboost:  # it weighs queries
        return made | {"sample_weight": value_of_query(runs, weight, parameter, FIT)}
    # YetiRank, the default loss of CatBoost, does not support weights of rows.
    are_of_queries = form.is_catboost and is_shared(runs, weight)
    return made | {"group_weight" if are_of_queries else "sample_weight": weight}


def in_rows(values: Any, runs: IdRuns, parameter: str) -> Any:
    """Return the weight of each row if weights came with the ids of the queries."""
    given = by_qid(values, parameter, FIT, runs.n_rows)
    if given is None:
        return values
    weight = check_finite_weights(given.values, parameter, FIT)
    return weight[given.places_of(runs.ids, parameter, FIT)][runs.which_of_row]


def check_weight(values: Any, runs: IdRuns, parameter: str) -> Floats:
    """Return the weight of each row."""
    weight = check_finite_weights(values, parameter, FIT)
    if weight.size != runs.n_rows:
        expected = f"of shape ({runs.n_rows},), one weight per row"
        code = _REPEAT_WEIGHTS.format(parameter) if weight.size == runs.ids.size else ""
        raise invalid(parameter, FIT, expected, f"shape {weight.shape}", code=code)
    return weight


_REPEAT_WEIGHTS = (
    "Repeat the weight of each query for its rows: `np.repeat({0}, sizes)` if the rows of each "
    "query are adjacent, otherwise `np.asarray({0})[query]` with the number of the query of each "
    "row."
)


Positions = NDArray[np.intp]

ROW_PARAMETERS = (
    "base_margin",
    "baseline",
    "group_weight",
    "init_score",
    "sample_weight",
    "subgroup_id",
)
"""The parameters of ``fit`` with one value per row, of any of the three libraries."""
_ROW_NUMBER_PARAMETERS = ("graph", "pairs", "pairs_weight")
"""The parameters that refer to rows by number."""
_OTHER_PARAMETERS = (
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


class RankerPart(NamedTuple):
    """Some rows of the data, sorted by query."""

    rows: Positions | None
    """The places of the rows; None: all rows as they are, which are sorted."""
    runs: IdRuns
    """The queries of these rows, in their order."""


def in_order(runs: IdRuns) -> RankerPart:
    """Return all rows sorted by query. The rows of a query keep their order."""
    if (np.diff(runs.which) >= 0).all():
        return RankerPart(None, runs)
    return RankerPart(stable_order(runs.which_of_row), _runs_of_sorted(runs.ids, runs.sizes))


def hold_out(
    part: RankerPart, fraction: float, random_state: Any
) -> tuple[RankerPart, RankerPart]:
    """Return the rows of some queries, drawn at random, and those of the other queries."""
    ids, sizes = part.runs.ids, part.runs.sizes
    try:
        kept, _ = train_test_split(
            np.arange(ids.size), test_size=fraction, random_state=random_state
        )
    except ValueError as error:  # none would be left
        expected = "such that the queries that are not held out are at least one"
        got = f"{fraction} of {ids.size} quer{'y' if ids.size == 1 else 'ies'}"
        raise invalid("validation_fraction", FIT, expected, got) from error
    is_kept = np.isin(np.arange(ids.size), kept)
    rows = np.arange(part.runs.n_rows) if part.rows is None else part.rows
    is_row_kept = np.repeat(is_kept, sizes)
    return (
        RankerPart(rows[is_row_kept], _runs_of_sorted(ids[is_kept], sizes[is_kept])),
        RankerPart(rows[~is_row_kept], _runs_of_sorted(ids[~is_kept], sizes[~is_kept])),
    )


def _runs_of_sorted(ids: NDArray[Any], sizes: Positions) -> IdRuns:
    """Return the queries of sorted rows."""
    return IdRuns(ids, np.arange(ids.size), np.cumsum(sizes) - sizes, sizes)


def take(values: Any, rows: Positions | None) -> Any:
    """Return the values of some rows. None: all values as they are."""
    if values is None or rows is None:
        return values
    return _safe_indexing(values.tocsr() if issparse(values) else values, rows)


def take_params(fit_params: dict[str, Any], rows: Positions | None, n_rows: int) -> dict[str, Any]:
    """Return the parameters of ``fit`` for some of `n_rows` rows. None: all rows as they are."""
    if rows is None:
        return fit_params
    expected = "left out if rows have to be sorted by query"
    advice = "Sort the rows by query first. Then it is passed on unchanged."
    if rows.size < n_rows:
        expected = "left out if `validation_fraction` holds out rows"
        advice = "Hold out queries yourself, and pass them as `eval_set`."
    taken = dict(fit_params)
    for name, value in fit_params.items():
        last = last_of(name)
        if value is None or last in _OTHER_PARAMETERS or last.startswith("eval_"):
            continue
        if last in ROW_PARAMETERS:
            check_entries(name, value, n_rows)
            taken[name] = take(value, rows)
        elif last in _ROW_NUMBER_PARAMETERS or _n_entries(value) == n_rows:
            numbers_rows = last in _ROW_NUMBER_PARAMETERS
            why = "refers to rows by number" if numbers_rows else "may be one value per row"
            raise invalid(name, FIT, f"{expected}, since it {why}", describe(value), advice)
    return taken


def check_entries(name: str, value: Any, n_rows: int) -> None:
    """Raise unless a parameter has one value per row."""
    if _n_entries(value) != n_rows:
        raise invalid(name, FIT, f"an array of {n_rows} entries, one per row", describe(value))


def _n_entries(value: Any) -> int | None:
    """Return the number of entries of an array, a frame or a list, and None for the rest."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return shape[0] if shape else None
    return len(value) if isinstance(value, Sized) and not isinstance(value, str) else None


_ENTRIES_OF_QUERIES = {"eval_qid": "qid", "eval_group": "group"}
"""The parameters with the queries of each validation set, and their names for training."""
_ENTRIES_OF_XGBOOST = {
    "sample_weight_eval_set": "sample_weight",
    "base_margin_eval_set": "base_margin",
}
_ENTRIES_OF_LIGHTGBM = {"eval_sample_weight": "sample_weight", "eval_init_score": "init_score"}
"""The parameters with weights and start scores of each set, and their names for training."""
_FEATURES_OF_POOL = ("cat_features", "embedding_features", "text_features")
"""The parameters of CatBoost's ``fit`` that a pool needs, too."""


class ValidationSet(NamedTuple):
    """A validation set, as ``fit`` takes rows for training."""

    X: Any
    y: Any
    params: dict[str, Any]
    """The other parameters for these rows, such as `qid` and `sample_weight`."""


def with_validation_sets(
    fit_params: dict[str, Any], form: RankerForm, qid_from: QidFrom | None, n_columns: int
) -> dict[str, Any]:
    """Return the parameters of ``fit`` with the rows of validation sets sorted by query.

    Sets whose ids are not known are passed on unchanged. X has `n_columns` columns.
    """
    names = ["eval_set", "eval_X", "eval_y", *_ENTRIES_OF_QUERIES, *_more_of(form)]
    given = {name: fit_params.get(form.prefix + name) for name in names}
    pairs = _read_pairs(given)
    if pairs is None:
        _refuse_ids_in_pools(given["eval_set"], qid_from, n_columns)
        return fit_params
    eval_qid = _entries("eval_qid", given["eval_qid"], len(pairs))
    with_ids = [
        _split(X, qid, given["eval_group"], form, qid_from, n_columns)
        for (X, _), qid in zip(pairs, eval_qid, strict=True)
    ]
    if all(ids is None for _, ids in with_ids):
        return fit_params
    more = {name: _entries(name, given[name], len(pairs)) for name in _more_of(form)}
    sets = []
    for number, ((X, ids), (_, y)) in enumerate(zip(with_ids, pairs, strict=True)):
        if not form.names:
            sets.append(ValidationSet(X, y, {}))
            continue
        if ids is None:
            expected = "the query id of each row of each validation set, or None"
            raise invalid("eval_qid", FIT, expected, f"none for validation set {number}")
        more_of_set = {name: entries[number] for name, entries in more.items()}
        sets.append(_sorted_set(X, y, ids, more_of_set, form))
    taken = {form.prefix + name for name in names}
    others = {name: value for name, value in fit_params.items() if name not in taken}
    return others | in_form_of(form, sets, fit_params)


def set_of_part(
    part: RankerPart,
    X: Any,
    y: Any,
    weight: Floats | None,
    fit_params: dict[str, Any],
    form: RankerForm,
) -> ValidationSet:
    """Return some rows of the data as a validation set, with their parameters of ``fit``."""
    made = make_params(form, part.runs, take(weight, part.rows))
    more = {
        name: take(fit_params[name], part.rows) for name in ROW_PARAMETERS if name in fit_params
    }
    return ValidationSet(take(X, part.rows), take(y, part.rows), made | more)


def in_form_of(
    form: RankerForm, sets: list[ValidationSet], fit_params: dict[str, Any]
) -> dict[str, Any]:
    """Return the parameters by which a ranker takes validation sets."""
    prefix = form.prefix
    if form.is_catboost:
        of_features = {name: fit_params.get(prefix + name) for name in _FEATURES_OF_POOL}
        return {f"{prefix}eval_set": [_as_pool(each, of_features) for each in sets]}
    made: dict[str, Any] = {"eval_set": [(each.X, each.y) for each in sets]}
    if "eval_X" in form.parameters:  # LightGBM from 4.7 on
        columns = zip(*((each.X, each.y) for each in sets), strict=True)
        made = dict(zip(("eval_X", "eval_y"), columns, strict=True))
    for name, called in (_ENTRIES_OF_QUERIES | _more_of(form)).items():
        entries = [each.params.get(called) for each in sets]
        if any(entry is not None for entry in entries):
            made[name] = entries
    return {prefix + name: value for name, value in made.items()}


def _more_of(form: RankerForm) -> dict[str, str]:
    """Return the parameters of sets with weights and start scores, and their other names."""
    if "qid" in form.names:
        return _ENTRIES_OF_XGBOOST
    return _ENTRIES_OF_LIGHTGBM if "group" in form.names else {}


def _as_pool(one: ValidationSet, of_features: dict[str, Any]) -> Any:
    """Return a validation set as CatBoost takes it."""
    params = dict(one.params)
    if "sample_weight" in params:
        params["weight"] = params.pop("sample_weight")
    return import_extra("catboost", "rankers", FIT).Pool(one.X, one.y, **params, **of_features)


def _read_pairs(given: dict[str, Any]) -> list[tuple[Any, Any]] | None:
    """Return features and labels of each validation set; None: they are in no known form."""
    X, y, pairs = (given[name] for name in ("eval_X", "eval_y", "eval_set"))
    if X is not None and y is not None:
        are_several = isinstance(X, tuple) and isinstance(y, tuple) and len(X) == len(y)
        pairs = list(zip(X, y, strict=True)) if are_several else [(X, y)]
    if isinstance(pairs, tuple) and len(pairs) == 2 and not isinstance(pairs[0], tuple):
        pairs = [pairs]
    if not isinstance(pairs, (list, tuple)) or not pairs:
        return None
    are_pairs = all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs)
    return [(X, y) for X, y in pairs] if are_pairs else None


def _entries(name: str, value: Any, n_sets: int) -> list[Any]:
    """Return the entry of each validation set, or None where there is none."""
    if value is None or isinstance(value, Mapping):
        return [(value or {}).get(number) for number in range(n_sets)]
    is_list = isinstance(value, (list, tuple))
    is_of_sets = is_list and all(
        each is None or isinstance(each, Mapping) or np.ndim(each) > 0 for each in value
    )
    if n_sets == 1 and not is_of_sets:
        return [value]
    if not is_of_sets or len(value) > n_sets:
        expected = f"a list with an array for each of {n_sets} validation sets"
        raise invalid(name, FIT, expected, describe(value))
    return [*value, *[None] * (n_sets - len(value))]


def _split(
    X: Any, qid: Any, eval_group: Any, form: RankerForm, qid_from: QidFrom | None, n_columns: int
) -> tuple[Any, Any]:
    """Return the features of a validation set without ids, and the ids if they are known."""
    if qid_from is not None and has_ids_column(X, qid_from, n_columns):
        _refuse("eval_qid", qid, "since the ids are in the validation features, as in X")
        _refuse("eval_group", eval_group, _COMPUTED)
        return leave_ids_out(X, qid_from, FIT), take_ids(X, qid_from, FIT)
    if qid is not None:
        _refuse("eval_group", eval_group, _COMPUTED)
        return X, qid
    if eval_group is not None:
        return X, None
    if callable(qid_from):
        return X, take_ids(X, qid_from, FIT)
    if form.is_xgboost and hasattr(X, "iloc") and "qid" in X:  # its special column
        return X.drop(columns="qid"), X["qid"]
    return X, None


_COMPUTED = "since it is computed from the ids of the validation rows"


def _refuse(name: str, value: Any, why: str) -> None:
    """Raise if a parameter is given that says what is known already."""
    if value is not None:
        raise invalid(name, FIT, f"left out, {why}", describe(value))


def _refuse_ids_in_pools(pools: Any, qid_from: QidFrom | None, n_columns: int) -> None:
    """Raise if a validation set that cannot be taken apart has the column of ids."""
    for pool in pools if isinstance(pools, (list, tuple)) else [pools]:
        if hasattr(pool, "shape") and has_ids_column(pool, qid_from, n_columns):
            expected = "without the column of ids, which the estimator does not see"
            got = f"{n_columns} columns, as many as X has including the ids,"
            code = "Pass `eval_set=[(X_val, y_val)]`. Then the ids are taken out of X_val."
            raise invalid("eval_set", FIT, expected, got, code=code)


def _sorted_set(X: Any, y: Any, ids: Any, more: dict[str, Any], form: RankerForm) -> ValidationSet:
    """Return a validation set with its rows sorted by query, as those for training are."""
    check_consistent_length(X, y)
    indexes = Indexes(FIT, has_columns=False)
    indexes.check("eval_set", X)
    indexes.check("eval_qid", ids)
    runs = cut_into_runs(check_ids_of_rows(ids, _num_samples(X), FIT, "eval_qid"), FIT, "eval_qid")
    part = in_order(runs)
    params: dict[str, Any] = {}
    weight, name_of_weight = None, ""
    for name, value in more.items():
        called = _more_of(form)[name]
        if value is None:
            continue
        if called != "sample_weight":
            check_entries(name, value, runs.n_rows)
            params[called] = take(value, part.rows)
            continue
        values = in_rows(value, runs, name)
        if form.is_xgboost and part.rows is None and np.shape(values) == runs.ids.shape:
            params[called] = values  # a weight per query, as XGBoost takes it
        else:
            weight, name_of_weight = check_weight(values, runs, name), name
    made = make_params(form, part.runs, take(weight, part.rows), name_of_weight)
    return ValidationSet(take(X, part.rows), take(y, part.rows), made | params)
