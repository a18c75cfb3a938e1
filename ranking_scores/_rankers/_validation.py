"""Validation sets in the form that each ranker takes, with rows sorted by query.

A set has what ``fit`` takes for training: features, labels, queries, weights and start scores.
XGBoost and LightGBM take each of these for all sets at once, in lists. CatBoost takes a pool of
each set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _num_samples, check_consistent_length

from ranking_scores._base import Indexes, describe, import_extra, invalid
from ranking_scores._queries import (
    QidFrom,
    check_ids_of_rows,
    cut_into_runs,
    has_ids_column,
    leave_ids_out,
    take_ids,
)
from ranking_scores._rankers._forms import FIT, Floats, Wanted, check_weight, in_rows, make_params
from ranking_scores._rankers._rows import OF_ROWS, Part, check_entries, in_order, take

_QUERIES = {"eval_qid": "qid", "eval_group": "group"}
"""The parameters with the queries of each validation set, and their names for training."""
_OF_XGBOOST = {"sample_weight_eval_set": "sample_weight", "base_margin_eval_set": "base_margin"}
_OF_LIGHTGBM = {"eval_sample_weight": "sample_weight", "eval_init_score": "init_score"}
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
    fit_params: dict[str, Any], wanted: Wanted, qid_from: QidFrom | None, n_columns: int
) -> dict[str, Any]:
    """Return the parameters of ``fit`` with the rows of validation sets sorted by query.

    Sets whose ids are not known are passed on unchanged. X has `n_columns` columns.
    """
    names = ["eval_set", "eval_X", "eval_y", *_QUERIES, *_more_of(wanted)]
    given = {name: fit_params.get(wanted.prefix + name) for name in names}
    pairs = _read_pairs(given)
    if pairs is None:
        _refuse_ids_in_pools(given["eval_set"], qid_from, n_columns)
        return fit_params
    eval_qid = _entries("eval_qid", given["eval_qid"], len(pairs))
    with_ids = [
        _split(X, qid, given["eval_group"], wanted, qid_from, n_columns)
        for (X, _), qid in zip(pairs, eval_qid, strict=True)
    ]
    if all(ids is None for _, ids in with_ids):
        return fit_params
    more = {name: _entries(name, given[name], len(pairs)) for name in _more_of(wanted)}
    sets = []
    for number, ((X, ids), (_, y)) in enumerate(zip(with_ids, pairs, strict=True)):
        if not wanted.names:
            sets.append(ValidationSet(X, y, {}))
            continue
        if ids is None:
            expected = "the query id of each row of each validation set, or None"
            raise invalid("eval_qid", FIT, expected, f"none for validation set {number}")
        more_of_set = {name: entries[number] for name, entries in more.items()}
        sets.append(_in_order(X, y, ids, more_of_set, wanted))
    taken = {wanted.prefix + name for name in names}
    others = {name: value for name, value in fit_params.items() if name not in taken}
    return others | in_form_of(wanted, sets, fit_params)


def set_of_part(
    part: Part, X: Any, y: Any, weight: Floats | None, fit_params: dict[str, Any], wanted: Wanted
) -> ValidationSet:
    """Return some rows of the data as a validation set, with their parameters of ``fit``."""
    made = make_params(wanted, part.runs, take(weight, part.rows))
    more = {name: take(fit_params[name], part.rows) for name in OF_ROWS if name in fit_params}
    return ValidationSet(take(X, part.rows), take(y, part.rows), made | more)


def in_form_of(
    wanted: Wanted, sets: list[ValidationSet], fit_params: dict[str, Any]
) -> dict[str, Any]:
    """Return the parameters by which a ranker takes validation sets."""
    prefix = wanted.prefix
    if wanted.is_catboost:
        of_features = {name: fit_params.get(prefix + name) for name in _FEATURES_OF_POOL}
        return {f"{prefix}eval_set": [_as_pool(each, of_features) for each in sets]}
    made: dict[str, Any] = {"eval_set": [(each.X, each.y) for each in sets]}
    if "eval_X" in wanted.parameters:  # LightGBM from 4.7 on
        columns = zip(*((each.X, each.y) for each in sets), strict=True)
        made = dict(zip(("eval_X", "eval_y"), columns, strict=True))
    for name, called in (_QUERIES | _more_of(wanted)).items():
        entries = [each.params.get(called) for each in sets]
        if any(entry is not None for entry in entries):
            made[name] = entries
    return {prefix + name: value for name, value in made.items()}


def _more_of(wanted: Wanted) -> dict[str, str]:
    """Return the parameters of sets with weights and start scores, and their other names."""
    if "qid" in wanted.names:
        return _OF_XGBOOST
    return _OF_LIGHTGBM if "group" in wanted.names else {}


def _as_pool(one: ValidationSet, of_features: dict[str, Any]) -> Any:
    """Return a validation set as CatBoost takes it."""
    params = dict(one.params)
    if "sample_weight" in params:
        params["weight"] = params.pop("sample_weight")
    pool = import_extra("catboost", "rankers", FIT).Pool
    return pool(one.X, one.y, **params, **of_features)


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
    are_pairs = all(isinstance(each, (list, tuple)) and len(each) == 2 for each in pairs)
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
    X: Any,
    qid: Any,
    eval_group: Any,
    wanted: Wanted,
    qid_from: QidFrom | None,
    n_columns: int,
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
    if wanted.is_xgboost and hasattr(X, "iloc") and "qid" in X:  # its special column
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


def _in_order(X: Any, y: Any, ids: Any, more: dict[str, Any], wanted: Wanted) -> ValidationSet:
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
        called = _more_of(wanted)[name]
        if value is None:
            continue
        if called != "sample_weight":
            check_entries(name, value, runs.n_rows)
            params[called] = take(value, part.rows)
            continue
        values = in_rows(value, runs, name)
        if wanted.is_xgboost and part.rows is None and np.shape(values) == runs.ids.shape:
            params[called] = values  # a weight per query, as XGBoost takes it
        else:
            weight, name_of_weight = check_weight(values, runs, name), name
    made = make_params(wanted, part.runs, take(weight, part.rows), name_of_weight)
    return ValidationSet(take(X, part.rows), take(y, part.rows), made | params)
